import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

export type ClassArchive = {
  /** Arguments for Java. */
  use: readonly string[]
  /** Writes the archive from the classes of a running broker, unless it exists. */
  write(pid: number): Promise<void>
}

/**
 * Kafka's classes as Java has parsed and verified them (class data sharing), in a file beside the jars. It halves the
 * CPU time of a broker's start. Java ignores it if it does not fit. Without `jcmd`, which a JRE lacks, there is none.
 */
export async function classArchive(
  /** Folder of the jars. */
  libs: string,
  /** `build` identifies the build of Java, because another one cannot use the file. */
  { java, build }: { java: string; build: string },
): Promise<ClassArchive> {
  const hash = createHash("sha256").update(`${java} ${build}`).digest("hex").slice(0, 12)
  const file = join(dirname(libs), `classes-${hash}.jsa`)
  if (existsSync(file)) return { use: [`-XX:SharedArchiveFile=${file}`], write: async () => {} }
  const jcmd = java === "java" ? "jcmd" : join(dirname(java), "jcmd")
  return {
    use: ["-XX:+RecordDynamicDumpInfo"],
    async write(pid) {
      const fresh = `${file}.${pid}`
      try {
        await promisify(execFile)(jcmd, [String(pid), "VM.cds", "dynamic_dump", fresh])
        await rename(fresh, file)
      } catch {
        await rm(fresh, { force: true })
      }
    },
  }
}
