import type { Problem } from "@sitewire/contracts"

/** A rejected request. `problem` is null if the console did not respond. */
export class ApiFailure extends Error {
  readonly problem: Problem | null

  constructor(problem: Problem | null, options?: ErrorOptions) {
    super(problem?.detail ?? problem?.title ?? "no response", options)
    this.problem = problem
  }
}

export function failureOf(response: Response, body: unknown): ApiFailure {
  if (isProblem(body)) return new ApiFailure(body)
  return new ApiFailure({
    type: "about:blank",
    title: response.statusText || `HTTP ${response.status}`,
    status: response.status,
  })
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "title" in body && "status" in body
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiFailure && error.problem?.code === code
}

export const isNotFound = (error: unknown) => error instanceof ApiFailure && error.problem?.status === 404

/** True if the outcome of a write is known. Otherwise it may have been committed. */
export function isFinal(error: unknown): boolean {
  const code = error instanceof ApiFailure ? error.problem?.code : undefined
  return code !== undefined && code !== "internal-error" && code !== "database-unavailable"
}
