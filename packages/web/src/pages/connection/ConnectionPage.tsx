import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Schemas, Versioned } from "../../api/client.ts"
import { connectionQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { Facts } from "../../parts/Facts.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, PageHead, Rows, Section } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { ConnectionState, SyncOutcome } from "../../parts/states.tsx"
import { Ago, Since, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Changes } from "./Changes.tsx"
import { ConnectionActions } from "./ConnectionActions.tsx"
import { Content } from "./Content.tsx"
import { TriggerUrl } from "./TriggerUrl.tsx"
import { Windows } from "./Windows.tsx"

const t = texts.connection

export function ConnectionPage() {
  const id = useId()
  const { data, error, refetch } = useQuery(connectionQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  return data ? <Found key={id} connection={data} /> : <Loading />
}

function Found({ connection }: { connection: Versioned<Schemas["Connection"]> }) {
  const { id, site, state, failing_since, last_error, next_sync_at } = connection
  return (
    <>
      <PageHead
        title={id}
        above={<Link to="/connections">{texts.pages.connections}</Link>}
        state={<ConnectionState state={state} />}
      >
        <ConnectionActions connection={connection} />
      </PageHead>
      <Rows>
        {failing_since !== null && (
          <Notice kind="bad" title={t.failing(last_error ?? "")}>
            {t.failingFor} <Since at={failing_since} />.{" "}
            {next_sync_at && (
              <>
                {t.retried} <Ago at={next_sync_at} due />.{" "}
              </>
            )}
            {t.failingMore}
          </Notice>
        )}
        <TriggerUrl connection={connection} />
        <Section title={t.windows} aside={<small className="dimmed">{t.windowsHint}</small>}>
          <Windows id={id} />
        </Section>
        <Columns>
          <Section title={t.facts}>
            <Facts
              facts={[
                [t.site, site],
                [t.source, <Mono key="source">{connection.source}</Mono>],
                [t.runner, t.runners[connection.runner]],
                [
                  t.lastSync,
                  connection.last_synced_at && connection.last_outcome ? (
                    <span key="last">
                      <SyncOutcome outcome={connection.last_outcome} /> <Ago at={connection.last_synced_at} />
                    </span>
                  ) : (
                    t.never
                  ),
                ],
                connection.last_success_at !== null && [
                  t.lastSuccess,
                  <Ago key="success" at={connection.last_success_at} />,
                ],
                next_sync_at !== null && [t.nextSync, <Ago key="next" at={next_sync_at} due />],
                [t.created, <Time key="created" at={connection.created_at} format="full" />],
              ]}
            />
          </Section>
          <Content id={id} />
        </Columns>
        <Changes id={id} />
      </Rows>
    </>
  )
}
