"""Settings, from the environment only. docs/settings.md lists every name that is read here."""

from pathlib import Path

from csp.constants import NONE, SELF

from console.env import LOOPBACK, Environment, secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
_env = Environment()

DEBUG = _env.flag("DEBUG")
VAR_DIR = BASE_DIR / _env.text("VAR_DIR", "var")
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
SECRET_KEY = _env.text("SECRET_KEY") or secret_key(VAR_DIR / "secret-key")
ALLOWED_HOSTS = _env.items("ALLOWED_HOSTS", LOOPBACK)
CSRF_TRUSTED_ORIGINS = _env.items("CSRF_TRUSTED_ORIGINS")
# A console that only this machine can reach is served over plain http; any other asks for https.
HTTPS = _env.flag("HTTPS", default=not DEBUG and not set(ALLOWED_HOSTS) <= set(LOOPBACK))
TRUST_PROXY = _env.flag("TRUST_PROXY")

GRAPH_URL = _env.text("GRAPH_URL", f"embedded:{VAR_DIR / 'graph'}")
# Empty: the embedded server's Redis, found when a job is queued or a worker starts (console/celery.py).
CELERY_BROKER_URL = _env.text("CELERY_BROKER_URL")
BROKER_FOLDER = (
    BASE_DIR / GRAPH_URL.removeprefix("embedded:").partition("?")[0]
    if GRAPH_URL.startswith("embedded:")
    else VAR_DIR / "graph"
)
DATABASES = {"default": _env.database("DATABASE_URL", f"sqlite:///{VAR_DIR / 'console.sqlite3'}", BASE_DIR)}
TIME_ZONE = _env.zone("TIME_ZONE", "UTC")
SETTINGS_PROBLEMS = _env.problems

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "template_partials",
    "console",
    "reviews",
    "tasks_app",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "console.middleware.bodiless_head",
    "console.middleware.request_number",
    "csp.middleware.CSPMiddleware",
    "console.middleware.cache_headers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "console.middleware.htmx_details",
    "console.middleware.htmx_sign_in",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "console.middleware.StoreDownMiddleware",
]
ROOT_URLCONF = "console.urls"
WSGI_APPLICATION = "console.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "console.context.shell",
            ],
            "builtins": ["console.templatetags.ui"],
        },
    },
]

# No SQL transaction is held across a graph write.
ATOMIC_REQUESTS = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_AGE = 8 * 60 * 60
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "console.errors.csrf_failure"
MESSAGE_STORAGE = "console.notices.TabStorage"
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
# A decision may hold 20 texts of several thousand characters; more than this is no form of ours.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 400

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
DATETIME_FORMAT, DATE_FORMAT, TIME_FORMAT = "j M Y, H:i", "j M Y", "H:i"

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage" if DEBUG else "console.static.HashedStorage"
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"no_trace_of_refusals": {"()": "console.logs.NoTraceOfRefusals"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["no_trace_of_refusals"]}
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
}
