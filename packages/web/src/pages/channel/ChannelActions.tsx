import { Button } from "@mantine/core"
import type { Channel, TestDelivery } from "@sitewire/contracts"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { Action } from "../../parts/Action.tsx"
import { Icon } from "../../parts/Icon.tsx"
import { pageNames } from "../../words.ts"
import { TestResult } from "./TestResult.tsx"

export function ChannelActions({ channel: { id, address, paused_at } }: { channel: Channel }) {
  const { operates, managesChannel } = useAccess()
  const [test, setTest] = useState<TestDelivery | null>(null)
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="delivery" size={16} />}
        renderRoot={(props) => <Link {...props} to="/deliveries" search={{ channel: id }} />}
      >
        {pageNames.deliveries}
      </Button>
      {managesChannel(id) && (
        <Action
          label="Send test"
          icon="play"
          title="Send a test delivery?"
          run={(post) => post.testChannel({ id })}
          then={setTest}
        >
          {`One delivery with fictional data is sent to ${address}. Its reference is sitewire-test. It is not retried.`}
        </Action>
      )}
      {operates && paused_at === null && (
        <Action
          label="Pause"
          icon="pause"
          title={`Pause channel ${id}?`}
          run={(post) => post.pauseChannel({ id })}
          done={`Channel ${id} is paused`}
        >
          {`Within a second, nothing more is sent to the partner of ${id}. Its deliveries are stored and wait. The pause does not count towards their retry period.`}
        </Action>
      )}
      {operates && paused_at !== null && (
        <Action
          label="Resume"
          icon="play"
          variant="filled"
          title={`Resume channel ${id}?`}
          run={(post) => post.resumeChannel({ id })}
          done={`Channel ${id} is sending again`}
        >
          {`What waits is sent to the partner of ${id}, oldest first.`}
        </Action>
      )}
      {test && <TestResult test={test} close={() => setTest(null)} />}
    </>
  )
}
