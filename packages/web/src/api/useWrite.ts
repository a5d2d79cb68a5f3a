import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { createPost, type Post } from "./client.ts"
import { isFinal } from "./failure.ts"

/**
 * What the button of a dialog does. If no response arrives, the request may have been executed. When the user presses
 * the button again, the same request has the same Idempotency-Key, so that nothing is done twice.
 */
export function useWrite<Result>({
  run,
  onSuccess,
}: {
  run: (post: Post) => Promise<Result>
  onSuccess?: (result: Result) => unknown
}) {
  const [{ post, renewKey }] = useState(createPost)
  return useMutation({
    mutationFn: () => run(post),
    onSuccess,
    onError(error) {
      if (isFinal(error)) renewKey()
    },
  })
}
