import type { Problem } from "@sitewire/contracts"
import { plain } from "./printPlain.ts"

/** 1: refused or failed. 2: used wrongly. 3: could not be reached. */
export type ExitCode = 1 | 2 | 3

/** Ends a command with one clear message: what happened, why, what to do. Never holds a secret. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  /** The management API's own answer, where it refused. */
  readonly problem: Problem | null

  constructor(exitCode: ExitCode, message: string, problem: Problem | null = null) {
    super(message)
    this.name = "Failure"
    this.exitCode = exitCode
    this.problem = problem
  }
}

export function failed(message: string): Failure {
  return new Failure(1, message)
}

export function usage(message: string): Failure {
  return new Failure(2, message)
}

export function unreachable(message: string): Failure {
  return new Failure(3, message)
}

export function refused(problem: Problem): Failure {
  const detail = problem.detail ? `: ${plain(problem.detail)}` : ""
  const fields = (problem.errors ?? []).map((error) => `\n  ${plain(error.message)}`)
  return new Failure(1, `${plain(problem.title)} (${problem.status})${detail}${fields.join("")}`, problem)
}
