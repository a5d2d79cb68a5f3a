import { QueryClient } from "@tanstack/react-query"
import { ApiFailure } from "./failure.ts"

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && isTemporary(error),
    },
  },
})

function isTemporary(error: unknown): boolean {
  return error instanceof ApiFailure && (error.problem === null || error.problem.status === 503)
}
