import { readyWithinMs } from "../../deadlines.ts"
import type { Folder } from "../claimFolder.ts"
import { postgresName, unsafe } from "../local/startLocalPostgres.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions } from "../types.ts"
import { loadTestcontainers, startContainer, volumeName } from "./dockerEngine.ts"

const image = "postgres:18-alpine"

export async function startDockerPostgres({
  folder,
  password,
  port: wanted,
  durability,
}: { folder: Folder; password: string } & Pick<BackingOptions, "port" | "durability">) {
  const { GenericContainer, Wait, host } = await loadTestcontainers()
  // Without a fixed port, Docker would choose another one when the container restarts.
  const port = await pickPort({ wanted, service: "Postgres" })
  const container = new GenericContainer(image)
    .withEnvironment({
      POSTGRES_USER: postgresName,
      POSTGRES_DB: postgresName,
      POSTGRES_PASSWORD: password,
      PGDATA: "/var/lib/postgresql/data/main",
    })
    .withExposedPorts({ container: 5432, host: port })
    // The check uses TCP, because the image first runs a temporary server, which listens on the Unix socket
    // only.
    .withHealthCheck({
      test: ["CMD-SHELL", `pg_isready -h 127.0.0.1 -U ${postgresName}`],
      interval: 250,
      timeout: 2_000,
      retries: 400,
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .withStartupTimeout(readyWithinMs)
    .withCommand(["postgres", "-c", "max_connections=200", ...(durability === "scratch" ? unsafe : [])])
  if (durability === "persistent") {
    const source = await volumeName(folder, "postgres")
    container.withBindMounts([{ source, target: "/var/lib/postgresql/data", mode: "rw" }])
  }
  const address = `postgres://${postgresName}:${password}@${host}:${port}/${postgresName}`
  return startContainer(container, { folder, address })
}
