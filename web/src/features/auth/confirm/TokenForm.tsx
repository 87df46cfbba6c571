import { Button, Stack, TextInput, type TextInputProps, type UseFormReturnType } from '@/ui/kit';

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
        <TokenField label={texts.token} {...form.getInputProps('token')} />
        <Button type="submit" size="md" fullWidth loading={isPending}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}

/** The field for the token of a mail. */
export function TokenField(props: TextInputProps) {
  return (
    <TextInput
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      size="md"
      errorProps={{ role: 'alert' }}
      {...props}
    />
  );
}
