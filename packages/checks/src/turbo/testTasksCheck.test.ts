import { expect, test } from "vitest"
import type { Workspace } from "./readWorkspaces.ts"
import { findMissingInputs, type TurboTask } from "./testTasksCheck.ts"

function workspace(name: string, more: Partial<Workspace> = {}): Workspace {
  const none = { dependencies: [], devDependencies: [], startedFolders: [] }
  return {
    name,
    folder: `packages/${name}`,
    scripts: ["types", "test"],
    hasTests: true,
    ...none,
    ...more,
  }
}

function task(taskId: string, dependencies: string[], inputs: string[] = []): TurboTask {
  const directory = `packages/${taskId.replace(/#.*/, "")}`
  return { taskId, directory, dependencies, inputs: Object.fromEntries(inputs.map((path) => [path, "hash"])) }
}

const missing = (used: string) =>
  expect.stringMatching(new RegExp(`the tests of a use ${used}, .*"${used}#sources"`))

test("accepts tests whose task depends on the sources of what they import", () => {
  const workspaces = [
    workspace("a", { dependencies: ["b"] }),
    workspace("b", { dependencies: ["c"] }),
    workspace("c"),
  ]
  const tasks = [
    task("a#test", ["a#sources"]),
    task("a#sources", ["b#sources"]),
    task("b#test", ["b#sources"]),
    task("b#sources", ["c#sources"]),
    task("c#test", []),
  ]
  expect(findMissingInputs(workspaces, tasks)).toEqual([])
})

test("reports an imported workspace that the task does not depend on, also an indirect one", () => {
  const workspaces = [
    workspace("a", { devDependencies: ["b"] }),
    workspace("b", { dependencies: ["c"], scripts: ["types"], hasTests: false }),
    workspace("c", { scripts: ["types"], hasTests: false }),
  ]
  expect(findMissingInputs(workspaces, [task("a#test", ["b#sources"])])).toEqual([missing("c")])
})

test("reports a workspace whose process the tests start", () => {
  const workspaces = [
    workspace("a", { startedFolders: ["packages/service"] }),
    workspace("service", { scripts: ["types"], hasTests: false }),
  ]
  expect(findMissingInputs(workspaces, [task("a#test", [])])).toEqual([missing("service")])
})

test("accepts a workspace whose files are inputs of the task", () => {
  const workspaces = [
    workspace("a", { dependencies: ["b"] }),
    workspace("b", { scripts: ["types"], hasTests: false }),
  ]
  expect(findMissingInputs(workspaces, [task("a#test", [], ["../b/package.json"])])).toEqual([])
})

test("reports missing scripts, and a test script without tests", () => {
  const workspaces = [
    workspace("a", { scripts: ["types"] }),
    workspace("b", { hasTests: false }),
    workspace("c", { scripts: [], hasTests: false }),
  ]
  expect(findMissingInputs(workspaces, [task("a#test", [])])).toEqual([
    'packages/a/package.json needs a script "test"',
    'packages/b/package.json has no tests for a script "test"',
    'packages/c/package.json needs a script "types"',
  ])
})
