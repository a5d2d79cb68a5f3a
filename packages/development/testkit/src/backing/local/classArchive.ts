import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { access, rename, rm } from "node:fs/promises"
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
export async function classArchive({
  libs,
  java,
  build,
}: {
  /** Folder of the jars. */
  libs: string
  java: string
  /** Identifies the build of Java, because another one cannot use the file. */
  build: string
}): Promise<ClassArchive> {
  const hash = createHash("sha256").update(`${java} ${build}`).digest("hex").slice(0, 12)
  const file = join(dirname(libs), `classes-${hash}.jsa`)
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (exists) return { use: [`-XX:SharedArchiveFile=${file}`], write: async () => {} }
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
