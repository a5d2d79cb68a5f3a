import type { Problem } from "@sitewire/contracts"
import { escapeControls } from "../output/escapeControls.ts"
import { type ExitCode, exitCodes } from "./exitCodes.ts"

type FailureKind = Exclude<keyof typeof exitCodes, "success">

/**
 * An error that ends a command. Its message states what happened, why, and what to do, and never contains a
 * secret.
 */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly exitCode: ExitCode
  readonly problem: Problem | null

  constructor(kind: FailureKind, message: string, problem: Problem | null = null) {
    super(message)
    this.name = "Failure"
    this.kind = kind
    this.exitCode = exitCodes[kind]
    this.problem = problem
  }
}

export function failed(message: string): Failure {
  return new Failure("failed", message)
}

export function incorrectUsage(message: string): Failure {
  return new Failure("incorrectUsage", message)
}

export function unreachable(message: string): Failure {
  return new Failure("unreachable", message)
}

export function rejectedByApi(problem: Problem): Failure {
  const detail = problem.detail ? `: ${escapeControls(problem.detail)}` : ""
  const fields = (problem.errors ?? []).map((error) => `\n  ${escapeControls(error.message)}`)
  const message = `${escapeControls(problem.title)} (${problem.status})${detail}${fields.join("")}`
  return new Failure("failed", message, problem)
}

/** If no address of a host accepts a connection, Node's error has an empty message, and one error for each address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ")
  return error instanceof Error ? error.message : String(error)
}
