import { execFile } from "node:child_process"
import { promisify } from "node:util"

export type TestTask = {
  workspace: string
  folder: string
  /** Whether the tests passed before with the same files, so that turbo will not run them. */
  cached: boolean
}

type DryRun = {
  tasks: {
    task: string
    package: string
    directory: string
    command: string
    cache: { status: "HIT" | "MISS" }
  }[]
}

export async function listTestTasks(settings: {
  root: string
  turbo: string
  args: string[]
}): Promise<TestTask[]> {
  const { root, turbo, args } = settings
  const dryRun = [turbo, "run", "test", "--dry=json", ...args]
  const { stdout } = await promisify(execFile)(process.execPath, dryRun, {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stderr?: string }) => {
    throw new Error(`turbo cannot list the tests. ${error.stderr ?? ""}`, { cause: error })
  })
  const { tasks } = JSON.parse(stdout) as DryRun
  return tasks
    .filter(({ task, command }) => task === "test" && command !== "<NONEXISTENT>")
    .map((task) => ({
      workspace: task.package,
      folder: task.directory,
      cached: task.cache.status === "HIT" && !args.includes("--force"),
    }))
}
