import { useRef, useState } from "react"
import { createPost } from "../../api/client.ts"
import { ApiFailure, hasCode } from "../../api/failure.ts"
import { outcomeOf } from "../delivery/Timeline.tsx"

/** Tests an address before it is saved. One whose test failed is saved when the button is pressed again. */
export function useAddressTest() {
  const [failed, setFailed] = useState<string | null>(null)
  // Not again if only what follows the test failed.
  const passed = useRef<string>(null)
  return {
    failed,
    /** Rejects if the receiver does not accept a test delivery, or if the request is rejected, for example because it is no URL. */
    async test(id: string, address: string, isNew = false): Promise<void> {
      if (address === failed || address === passed.current) return
      const fault = await testAddress(id, address, isNew)
      if (!fault) {
        passed.current = address
        return
      }
      setFailed(address)
      throw fault
    },
  }
}

/** A test without a verdict must not prevent the change. */
async function testAddress(id: string, address: string, isNew: boolean): Promise<ApiFailure | null> {
  try {
    const { attempt } = await createPost().post.testChannel({
      id,
      body: { address, ...(isNew && { new_channel: true }) },
    })
    // Its receiver does not know the secret of a new channel.
    if (attempt.error === null || (isNew && (attempt.status === 401 || attempt.status === 403))) return null
    const outcome = (attempt.detail ?? outcomeOf(attempt)).replace(/\.$/, "")
    const detail = `${outcome}. Nothing is saved. Correct the address, or save it anyway.`
    const title = "The receiver did not accept it"
    return new ApiFailure({ type: "about:blank", title, status: 409, detail })
  } catch (error) {
    // The id is none, which the creation explains.
    if (isNew && hasCode(error, "not-found")) return null
    if (hasCode(error, "test-not-sent") || hasCode(error, "test-unfinished")) return error as ApiFailure
    throw error
  }
}
