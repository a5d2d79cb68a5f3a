import { existsSync } from "node:fs"
import { mkdir, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** So short that a process that has used its time waits a few milliseconds at most. */
const periodUs = 10_000

/**
 * Gives each process a share of one core's time, through a control group of its own. Needs root on Linux. The returned
 * function removes the groups, and is called when the processes have ended.
 */
export async function limitCpu(pids: readonly number[], share: number): Promise<() => Promise<void>> {
  const quotaUs = Math.round(share * periodUs)
  const version1 = existsSync("/sys/fs/cgroup/cpu")
  const groups: string[] = []
  for (const pid of pids) {
    const group = join(version1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup", `sitewire-bench-${pid}`)
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
  return async () => {
    for (const group of groups) await rmdir(group)
  }
}
