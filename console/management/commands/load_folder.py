"""manage.py load_folder claims ./policies: each sub-folder is one document, its files are its versions."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console.folder import MEDIA_TYPES, FolderDocument, versions_in
from console.graph import knowledge
from console.models import Project
from reaffirm.knowledge import Graph
from reaffirm.store import StoreError


class Command(BaseCommand):
    help = (
        "Load documents: each sub-folder is one document with the key <project>/<sub-folder>, its files "
        f"({', '.join(MEDIA_TYPES)}) in the order of their names are its versions. Running it again adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's part of the address")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--upto", type=int, metavar="N", help="only the first N versions of each document")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']}. manage.py create_project makes one.")
        upto = options["upto"]
        if upto is not None and upto < 1:
            raise CommandError(f"--upto {upto}: give 1 or more.")
        faults = 0
        try:
            graph = knowledge()
            for folder in _sub_folders(options["folder"]):
                document = FolderDocument.read(f"{project.slug}/{folder.name}", folder, upto)
                faults += self._load(graph, project, document)
        except StoreError as error:
            raise CommandError(str(error)) from None
        if faults:
            raise CommandError(f"Not everything was loaded: {faults} faults, named above.")

    def _load(self, graph: Graph, project: Project, document: FolderDocument) -> int:
        """Load what the document has not had, say what was done, and return the number of faults."""
        faults = list(document.faults)
        known = [version.content_hash for version in graph.versions(document.key)]
        new = document.new_after(known)
        loaded = flagged = 0
        for version in new:
            done = graph.add(
                None if version.data is not None else version.text,
                data=version.data,
                document_key=document.key,
                title=version.title,
                media_type=version.media_type,
                content_date=version.date,
                project_id=project.graph_id,
                author="load_folder",
            )
            if not done.recorded:
                faults.append(f"{version.name}: {done.error} {done.detail or ''}".rstrip())
                break
            loaded, flagged = loaded + (done.decision == "new_version"), flagged + done.flagged
        skipped = len(document.versions) - len(new)
        for fault in faults:
            self.stderr.write(f"{document.key}: {fault}")
        self.stdout.write(f"{document.key}: {loaded} loaded, {skipped} there already, {flagged} decisions flagged")
        return len(faults)


def _sub_folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder.")
    try:
        found = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
        found = [each for each in found if versions_in(each)]
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from None
    if not found:
        raise CommandError(f"{folder} holds no sub-folder with files in it ({', '.join(MEDIA_TYPES)}).")
    return found
