import { useParams } from "@tanstack/react-router"

/** The id in the URL of a page about one resource. */
export function useId(): string {
  return useParams({ strict: false }).id ?? ""
}
