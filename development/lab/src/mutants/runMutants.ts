import type { Mutant } from "./mutant.ts"
import { plantFault } from "./plantFault.ts"
import type { RunTests, TestRun } from "./runTests.ts"

type Verdict =
  | { kind: "killed"; by: string }
  | { kind: "survived" }
  /** No verdict: the fault could not be planted, or its tests did not start, or they fail even without it. */
  | { kind: "broken"; why: string }

export type Judged = { mutant: Mutant; verdict: Verdict }

export type RunMutantsParts = {
  tree: string
  mutants: readonly Mutant[]
  runTests: RunTests
  progress: (line: string) => void
}

/** Plants one fault after the other, and reports for each whether its tests failed. */
export async function runMutants(parts: RunMutantsParts): Promise<Judged[]> {
  const { tree, mutants, runTests, progress } = parts
  const baseline = await runWithoutFault(parts)
  const judged: Judged[] = []
  for (const [at, mutant] of mutants.entries()) {
    const startedAt = performance.now()
    const verdict = await judge(mutant)
    judged.push({ mutant, verdict })
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    progress(`${at + 1} of ${mutants.length}, ${seconds} s: ${describe({ mutant, verdict })}`)
  }
  return judged

  async function judge(mutant: Mutant): Promise<Verdict> {
    const wrong = mutant.tests.map((file) => baseline.get(file)).find((run) => run?.kind !== "passed")
    if (wrong) return { kind: "broken", why: `without the fault: ${describeRun(wrong)}` }
    const planted = await plantFault(tree, mutant)
    if (planted.kind === "not-planted") return { kind: "broken", why: planted.why }
    try {
      const run = await runTests({ files: mutant.tests, testNames: namesOf([mutant]) })
      if (run.kind === "passed") return { kind: "survived" }
      if (run.kind === "broken") return run
      return { kind: "killed", by: run.failed[0] ?? "" }
    } finally {
      await planted.restore()
    }
  }
}

/** Runs the faults' test files without a fault. If all faults of a file name tests, only those run. */
async function runWithoutFault({ mutants, runTests, progress }: RunMutantsParts) {
  const runs = new Map<string, TestRun>()
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))]
  for (const [at, file] of files.entries()) {
    const concerned = mutants.filter(({ tests }) => tests.includes(file))
    const whole = concerned.some(({ testName }) => testName === undefined)
    const wanted = { files: [file], testNames: whole ? [] : namesOf(concerned) }
    const startedAt = performance.now()
    const first = await runTests(wanted)
    // A failed file is tried again, because some tests measure times, and the machine may be busy.
    const run = first.kind === "failed" ? await runTests(wanted) : first
    runs.set(file, run)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    progress(`without a fault, ${at + 1} of ${files.length}, ${seconds} s: ${file}: ${describeRun(run)}`)
  }
  return runs
}

function namesOf(mutants: readonly Mutant[]): string[] {
  return [...new Set(mutants.flatMap(({ testName }) => testName ?? []))]
}

export function describe({ mutant, verdict }: Judged): string {
  const detail =
    verdict.kind === "killed" ? ` (by "${verdict.by}")` : verdict.kind === "broken" ? ` (${verdict.why})` : ""
  return `${verdict.kind}: ${mutant.name}${detail}`
}

function describeRun(run: TestRun): string {
  if (run.kind === "passed") return `${run.tests} passed`
  return run.kind === "failed" ? `failed: ${run.failed.join(", ")}` : run.why
}
