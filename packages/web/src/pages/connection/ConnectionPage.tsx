import type { Output } from "@sitewire/contracts/client"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { api, type Versioned } from "../../api/client.ts"
import { connectionQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { Facts } from "../../parts/Facts.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, PageHead, Rows, Section } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { RequestHeaders } from "../../parts/RequestHeaders.tsx"
import { ConnectionState, SyncOutcome } from "../../parts/states.tsx"
import { Ago, Since, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Changes } from "./Changes.tsx"
import { ConnectionActions } from "./ConnectionActions.tsx"
import { Content } from "./Content.tsx"
import { SigningSecret } from "./SigningSecret.tsx"
import { TriggerUrl } from "./TriggerUrl.tsx"
import { Windows } from "./Windows.tsx"

const t = texts.connection
type Connection = Versioned<Output<"readConnection">>

export function ConnectionPage() {
  const id = useId()
  const { data, error, refetch } = useQuery(connectionQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  return data ? <Found key={id} connection={data} /> : <Loading />
}

function Found({ connection }: { connection: Connection }) {
  const { readsContentOf } = useAccess()
  const { id, site, state, failing_since, last_reason, next_step, next_sync_at } = connection
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
          <Notice kind="bad" title={t.failing(last_reason ?? "")}>
            {t.failingFor} <Since at={failing_since} />.{" "}
            {next_sync_at && (
              <>
                {t.retried} <Ago at={next_sync_at} due />.{" "}
              </>
            )}
            {connection.last_success_at === null ? t.noContent : t.keepsContent} {next_step}
          </Notice>
        )}
        <TriggerUrl connection={connection} />
        <Columns>
          <SourceHeaders connection={connection} />
          <SigningSecret connection={connection} />
        </Columns>
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
          {readsContentOf(site) && <Content id={id} />}
        </Columns>
        {readsContentOf(site) && <Changes id={id} />}
      </Rows>
    </>
  )
}

function SourceHeaders({ connection: { id, site, ...shown } }: { connection: Connection }) {
  const { managesSite } = useAccess()
  const client = useQueryClient()
  if (!managesSite(site)) return null
  return (
    <RequestHeaders
      id={id}
      shown={shown}
      set={(request_headers, etag) =>
        api.changeConnection({ id, body: { request_headers } }, { ifMatch: etag })
      }
      refresh={() => client.invalidateQueries({ queryKey: connectionQuery(id).queryKey })}
    />
  )
}
