import { useNavigate, useSearch } from "@tanstack/react-router"

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

/** The same for the filters of a list of the API. A filter that is missing here is an error of types. */
export function filterSearch<Filter extends object>(names: Required<{ [Name in keyof Filter]: true }>) {
  return textSearch(Object.keys(names) as (keyof Filter & string)[])
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
