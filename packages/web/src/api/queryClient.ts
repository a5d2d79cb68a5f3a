import { QueryClient } from "@tanstack/react-query"
import { ApiFailure } from "./failure.ts"

export const queryClient = new QueryClient({
  defaultOptions: {
    // Otherwise, a write waits while the browser is offline, and is sent later, although its dialog may be closed.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      retry: (count, error) => count < 2 && isTemporary(error),
    },
  },
})

function isTemporary(error: unknown): boolean {
  return error instanceof ApiFailure && (error.problem === null || error.problem.status === 503)
}
