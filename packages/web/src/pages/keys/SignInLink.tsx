import { Button, Stack, Text } from "@mantine/core"
import { useWrite } from "../../api/useWrite.ts"
import { CopyField } from "../../parts/CopyField.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"

/** A link that signs in as the new key. Only the key itself may create it, so the request is sent with the key. */
export function SignInLink({ apiKey }: { apiKey: string }) {
  const { mutate, data, error, isPending } = useWrite({
    run: (post) => post.createSignInLink({}, { authorization: `Bearer ${apiKey}` }),
  })
  return (
    <Stack gap="xs">
      <Text size="sm">
        Instead of the key, you can pass on a link, which signs in to this console once, within 10 minutes.
      </Text>
      {error && <ProblemAlert error={error} />}
      {data ? (
        <CopyField label="Sign-in link" value={data.url} what="Sign-in link" />
      ) : (
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          Create a sign-in link
        </Button>
      )}
    </Stack>
  )
}
