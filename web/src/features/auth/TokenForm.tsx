import { Button, Stack, TextInput, type UseFormReturnType } from '@/ui/kit';

interface Props {
  form: UseFormReturnType<{ token: string }>;
  texts: { token: string; submit: string };
  isPending: boolean;
  onSubmit: (token: string) => void;
}

/** Asks for the token of a mail. The link in the mail fills it in. */
export function TokenForm({ form, texts, isPending, onSubmit }: Props) {
  return (
    <form noValidate onSubmit={form.onSubmit(({ token }) => onSubmit(token.trim()))}>
      <Stack>
        <TextInput
          label={texts.token}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('token')}
        />
        <Button type="submit" size="md" fullWidth loading={isPending}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}
