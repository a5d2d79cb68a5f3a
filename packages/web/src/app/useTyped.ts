import { useDebouncedCallback } from "@mantine/hooks"
import { useEffect, useState } from "react"

/** A text that becomes part of the URL when the typing pauses, and follows the URL. */
export function useTyped(given: string, commit: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(given)
  const commitLater = useDebouncedCallback((value: string) => commit(value.trim()), 400)
  useEffect(() => setText(given), [given])
  return [
    text,
    (value) => {
      setText(value)
      commitLater(value)
    },
  ]
}
