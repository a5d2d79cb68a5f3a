import { existsSync } from "node:fs"
import { mkdir, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** So short that a process that has used its time waits a few milliseconds at most. */
const periodUs = 10_000

/**
 * Gives each process a share of one core's time, through a control group of its own. Needs root on Linux. The returned
 * function removes the groups. It must be called after the processes have ended: a group with a process cannot be removed.
 */
export async function limitCpu(pids: readonly number[], share: number): Promise<() => Promise<void>> {
  const quotaUs = Math.round(share * periodUs)
  const version1 = existsSync("/sys/fs/cgroup/cpu")
  const parent = version1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup"
  const groups: string[] = []
  const remove = async () => void (await Promise.all(groups.map((group) => rmdir(group))))
  try {
    // Without this, groups of version 2 have no cpu.max.
    if (!version1) await writeFile(join(parent, "cgroup.subtree_control"), "+cpu")
    for (const pid of pids) {
      const group = join(parent, `sitewire-bench-${pid}`)
      await mkdir(group)
      groups.push(group)
      if (version1) {
        await writeFile(join(group, "cpu.cfs_period_us"), String(periodUs))
        await writeFile(join(group, "cpu.cfs_quota_us"), String(quotaUs))
      } else {
        await writeFile(join(group, "cpu.max"), `${quotaUs} ${periodUs}`)
      }
      await writeFile(join(group, "cgroup.procs"), String(pid))
    }
  } catch (error) {
    // The processes still run, so they leave the groups first. One that has ended is in no group.
    for (const pid of pids.slice(0, groups.length))
      await writeFile(join(parent, "cgroup.procs"), String(pid)).catch(() => {})
    await remove()
    throw error
  }
  return remove
}
