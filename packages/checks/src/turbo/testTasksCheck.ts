import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Check } from "../check.ts"
import { readWorkspaces, type Workspace } from "./readWorkspaces.ts"

export type TurboTask = {
  taskId: string
  directory: string
  dependencies: string[]
  inputs: Record<string, string>
}

/**
 * Fails if turbo could take a workspace's test result from its cache although another workspace that the
 * tests use has changed.
 */
export const testTasksCheck: Check = {
  name: "test tasks",
  async run(root) {
    const workspaces = await readWorkspaces(root)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [fileURLToPath(new URL("node_modules/turbo/bin/turbo", root)), "run", "test", "--dry=json"],
      { cwd: root, maxBuffer: 64 * 1024 * 1024 },
    )
    const { tasks } = JSON.parse(stdout) as { tasks: TurboTask[] }
    const problems = findMissingInputs(workspaces, tasks)
    return { summary: `${workspaces.length} workspaces, ${problems.length} problems`, problems }
  },
}

export function findMissingInputs(workspaces: Workspace[], tasks: TurboTask[]): string[] {
  const problems: string[] = []
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]))
  for (const workspace of workspaces) {
    const { name, folder, scripts, hasTests } = workspace
    if (!scripts.includes("types")) problems.push(`${folder}/package.json needs a script "types"`)
    if (hasTests !== scripts.includes("test"))
      problems.push(`${folder}/package.json ${hasTests ? "needs" : "has no tests for"} a script "test"`)
    if (!hasTests) continue

    const covered = coveredBy(`${name}#test`, tasks)
    for (const used of usedByTests(workspace, workspaces)) {
      const other = byName.get(used)
      if (!other || covered(other)) continue
      problems.push(
        `the tests of ${name} use ${used}, and would not run again if it changed: ` +
          `add "${used}#sources" to "dependsOn" of the task "test" in ${folder}/turbo.jsonc`,
      )
    }
  }
  return problems
}

/**
 * Names of the workspaces that the tests import, directly or through other workspaces, or whose processes
 * they start.
 */
function usedByTests(workspace: Workspace, workspaces: Workspace[]): Set<string> {
  const byName = new Map(workspaces.map((each) => [each.name, each]))
  const byFolder = new Map(workspaces.map((each) => [each.folder, each]))
  const started = workspace.startedFolders.flatMap((folder) => byFolder.get(folder)?.name ?? [])
  const used = new Set([...workspace.dependencies, ...workspace.devDependencies, ...started])
  // The outer loop also visits the names that the inner loop adds.
  for (const name of used) for (const next of byName.get(name)?.dependencies ?? []) used.add(next)
  used.delete(workspace.name)
  return used
}

/** The returned function tells whether a change in a workspace makes turbo run the task again. */
function coveredBy(taskId: string, tasks: TurboTask[]): (workspace: Workspace) => boolean {
  const byId = new Map(tasks.map((task) => [task.taskId, task]))
  const reached = new Set([taskId])
  for (const id of reached) for (const next of byId.get(id)?.dependencies ?? []) reached.add(next)
  const task = byId.get(taskId)
  const inputs = new Set(
    Object.keys(task?.inputs ?? {}).map((path) => new URL(path, `file:///${task?.directory}/`).pathname),
  )
  return ({ name, folder }) => reached.has(`${name}#sources`) || inputs.has(`/${folder}/package.json`)
}
