import { fileURLToPath } from "node:url"
import { migrationNames } from "@sitewire/database/migrationNames"
import { type Plugin, rolldown } from "rolldown"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))

/** The paths of all modules in the bundle. */
export type Bundled = { modules: string[] }

/**
 * Writes plain JavaScript for Node 20 with everything that it imports: the package has no dependencies. What is
 * imported lazily, such as the clients of Kafka and Postgres, is in files of its own.
 */
export async function bundle(folder: string): Promise<Bundled> {
  const build = await rolldown({
    input: { sitewire: main },
    platform: "node",
    // An optional native client, which pg tries to load.
    external: ["pg-native"],
    plugins: [await migrationList()],
    logLevel: "warn",
  })
  const { output } = await build.write({ dir: folder, format: "esm", chunkFileNames: "[name]-[hash].js" })
  await build.close()
  return { modules: output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : [])) }
}

/** The bundle is used without prisma/migrations, so it contains the names. */
async function migrationList(): Promise<Plugin> {
  const names = await migrationNames()
  return {
    name: "migration-names",
    load: (id) =>
      id.endsWith("/database/src/migrationNames.ts")
        ? `export const migrationNames = async () => ${JSON.stringify(names)}`
        : null,
  }
}
