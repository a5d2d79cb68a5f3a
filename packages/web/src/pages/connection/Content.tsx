import { Anchor } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { snapshotQuery } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { Code } from "../../parts/Code.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Section } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"

const t = texts.content

/** What the last successful sync fetched. */
export function Content({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(snapshotQuery(id))
  return (
    <Section
      title={t.title}
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
        t.none
      ) : data === undefined ? (
        <Loading rows={3} />
      ) : (
        <>
          <Code what={t.title} code={data.text} wrap />
          {!data.complete && (
            <p>
              {t.cut}{" "}
              <Anchor href={`/v1/connections/${encodeURIComponent(id)}/snapshot`} download>
                {t.download}
              </Anchor>
            </p>
          )}
        </>
      )}
    </Section>
  )
}
