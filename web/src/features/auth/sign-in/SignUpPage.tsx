import { Link } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';
import { AuthPage } from '../AuthPage';

/** Explains who creates accounts; users cannot sign up themselves. */
export function SignUpPage() {
  return (
    <AuthPage title={t.auth.signUp.title} lead={t.auth.signUp.lead}>
      <Text>{t.auth.signUp.who}</Text>
      <Text>{t.auth.signUp.how}</Text>
      <Text>
        <span>{t.auth.signUp.invited}</span> <Link to="/account/confirm">{t.auth.signUp.confirm}</Link>
      </Text>
    </AuthPage>
  );
}
