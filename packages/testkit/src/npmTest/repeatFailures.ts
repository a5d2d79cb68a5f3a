import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { TestTask } from "./listTestTasks.ts"

type Report = { testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[] }

/** `file` is an absolute path. */
export type Failure = { file: string; name: string }

/** If more tests fail, none is repeated: a slow machine is not the reason then, and repeating takes long. */
const mostRepeated = 5

/**
 * Many tests wait for real processes, brokers and time limits, and two workspaces are tested at a time. A
 * test that fails then is repeated alone, with its file. A test that passes alone is no failure, but is
 * reported: it depends on the speed of the machine, or it has found a rare fault.
 */
export async function repeatFailures(settings: {
  root: string
  tasks: readonly TestTask[]
  runVitest: (args: string[]) => Promise<number>
}): Promise<{ passedAlone: Failure[] }> {
  const { root, tasks, runVitest } = settings
  const failures: Failure[] = []
  for (const { folder } of tasks)
    failures.push(...(await readFailures(join(root, folder, ".sitewire/tests.json"))))
  if (failures.length === 0 || failures.length > mostRepeated) return { passedAlone: [] }
  const report = join(root, ".sitewire/repeated.json")
  const files = [...new Set(failures.map(({ file }) => file))]
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  await runVitest(["run", ...files, "--maxWorkers=1", ...reporters])
  const passed = new Set((await readTests(report, "passed")).map(({ file, name }) => `${file} ${name}`))
  return { passedAlone: failures.filter(({ file, name }) => passed.has(`${file} ${name}`)) }
}

const readFailures = (report: string) => readTests(report, "failed")

async function readTests(report: string, status: string): Promise<Failure[]> {
  const text = await readFile(report, "utf8").catch(() => undefined)
  if (text === undefined) return []
  return (JSON.parse(text) as Report).testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter((test) => test.status === status)
      .map(({ fullName }) => ({ file, name: fullName })),
  )
}
