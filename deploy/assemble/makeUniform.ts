import { chmod, chown, lstat, lutimes, readdir } from "node:fs/promises"
import { join } from "node:path"

/** npm's archives have it too. */
const modifiedAt = new Date("1985-10-26T08:15:00Z")

/**
 * Gives all files the same owner, modes and times in every build, so that the same files make the same layers. The
 * modes of a checkout depend on who made it, and the processes run as another user.
 */
export async function makeUniform(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const path of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const stats = await lstat(path)
    if (stats.uid !== process.getuid?.()) await chown(path, 0, 0)
    if (!stats.isSymbolicLink()) await chmod(path, stats.mode & 0o100 ? 0o755 : 0o644)
    await lutimes(path, modifiedAt, modifiedAt)
  }
}
