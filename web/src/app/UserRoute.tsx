import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/api/session';
import { userQuery } from '@/api/user-form';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { EditUserPage } from '@/features/users/page/EditUserPage';
import { Stack } from '@/ui/kit';

const route = getRouteApi('/signed-in/users/$id');

/** The page of a user with their changes, which belong to another feature. */
export function UserRoute() {
  const { id } = route.useParams();
  const isShown = useQuery(userQuery(id)).data !== undefined;
  const seesChanges = useCan('audit.view');
  return (
    <Stack gap="md">
      <EditUserPage />
      {isShown && seesChanges && <ChangesBlock key={id} target={id} />}
    </Stack>
  );
}
