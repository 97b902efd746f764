import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.io.ByteUnit;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * A Neo4j for one test run: Bolt on a free local port, no sign-in, data in a temporary folder.
 * It prints "bolt://127.0.0.1:port" when it is up and ends, folder and all, when its input closes or its parent dies.
 * With two arguments, a folder and a port, it uses those, and the folder stays.
 */
public class Neo4jTestServer {
    public static void main(String[] args) throws Exception {
        boolean kept = args.length == 2;
        Path home = kept ? Path.of(args[0]) : Files.createTempDirectory("reaffirm-neo4j-");
        Path gone = kept ? null : home;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(gone)));
        DatabaseManagementService server = new DatabaseManagementServiceBuilder(home)
            .setConfig(BoltConnector.enabled, true)
            .setConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", kept ? Integer.parseInt(args[1]) : 0))
            .setConfig(GraphDatabaseSettings.auth_enabled, false)
            .setConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(Long.getLong("pagecache.mebibytes", 256)))
            .setConfig(GraphDatabaseSettings.transaction_timeout, Duration.ofMinutes(2))
            // Tests fill and empty the graph all the time; a plan that was made once is right for all of them.
            .setConfig(GraphDatabaseSettings.cypher_min_replan_interval, Duration.ofHours(1))
            .build();
        // A parent that forked may leave a copy of the pipe open, so its death is watched as well.
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> end(gone)));
        GraphDatabaseAPI database = (GraphDatabaseAPI) server.database("neo4j");
        ConnectorPortRegister ports = database.getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
        System.out.println("bolt://127.0.0.1:" + ports.getLocalAddress(ConnectorType.BOLT).getPort());
        while (System.in.read() >= 0) { }
        end(gone);
    }

    /** An orderly shutdown takes ten seconds, for data that nobody will read again. */
    private static void end(Path home) {
        delete(home);
        Runtime.getRuntime().halt(0);
    }

    private static void delete(Path folder) {
        if (folder == null) return;
        try (var paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException gone) {
            // Nothing depends on it: the folder is a temporary one.
        }
    }
}
