import { Anchor } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { snapshotQuery } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { Code } from "../../parts/Code.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Section } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"

/** What the last successful sync fetched. */
export function Content({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(snapshotQuery(id))
  return (
    <Section
      title="Content"
      aside={
        data && (
          <small className="dimmed">
            {formatBytes(data.bytes)} · <Time at={data.storedAt} />
          </small>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={refetch} />
      ) : data === null ? (
        "Nothing has been fetched yet."
      ) : data === undefined ? (
        <Loading rows={3} />
      ) : (
        <>
          <Code what="Content" code={data.text} wrap />
          {!data.complete && (
            <p>
              Only the beginning is shown.{" "}
              <Anchor href={`/v1/connections/${encodeURIComponent(id)}/snapshot`} download>
                Download all
              </Anchor>
            </p>
          )}
        </>
      )}
    </Section>
  )
}
