import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

/** Returns the method with that id (undefined: the default one); throws VALIDATION_ERROR if there is none. */
export function requireMethod(
  head: Pick<ConnectorHead, 'authenticationMethods' | 'name'>,
  authenticationId: number | undefined,
): AuthenticationMethod {
  const method = head.authenticationMethods.find((candidate) =>
    authenticationId === undefined ? candidate.isDefault : candidate.authenticationId === authenticationId,
  );
  if (method !== undefined) return method;
  const methods = head.authenticationMethods
    .map(({ authenticationId: id, authenticationName }) => `${id} (${authenticationName})`)
    .join(', ');
  throw validationError({
    field: 'authenticationId',
    issue: `is not a method of ${head.name}, which has ${methods}`,
  });
}
