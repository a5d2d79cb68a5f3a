import { type Operation, routes } from "@sitewire/contracts/routes"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { FilterOf } from "../api/queries.ts"

/** A validator of the URL's query: these names, and only texts. */
export function textSearch<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> => {
    const entries = names.flatMap((name) => {
      const value = search[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
    return Object.fromEntries(entries)
  }
}

type Filtered = {
  [Name in Operation]: (typeof routes)[Name] extends { query: object } ? Name : never
}[Operation]

/** The same for the filters of a list of the API. */
export function filterSearch<Name extends Filtered>(operation: Name) {
  const { cursor: _, limit: __, ...filters } = routes[operation].query.shape as Record<string, unknown>
  return textSearch(Object.keys(filters) as (keyof FilterOf<Name> & string)[])
}

/** The filters of a list, which are part of the URL. Setting one replaces the entry in the history. */
export function useFilters<Filter extends object>(): [Filter, (change: Partial<Filter>) => void] {
  const filter = useSearch({ strict: false, structuralSharing: true } as never) as Filter
  const navigate = useNavigate()
  const change = (changes: Partial<Filter>) => {
    const next = Object.entries({ ...filter, ...changes }).filter(
      ([, value]) => value !== undefined && value !== null && value !== "",
    )
    void navigate({ to: ".", search: Object.fromEntries(next) as never, replace: true })
  }
  return [filter, change]
}

/** A change that removes each filter that is set. */
export function unset<Filter extends object>(filter: Filter): Partial<Filter> {
  return Object.fromEntries(Object.keys(filter).map((name) => [name, undefined])) as Partial<Filter>
}
