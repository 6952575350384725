import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AuthProvider, AuthProviderWithSlots, SlotValues } from '../domain/auth-provider.ts';
import {
  checkProviderName,
  movedSlots,
  nameTaken,
  requireProviderMethod,
  requireSecretsAgain,
  showProvider,
  slotChanges,
} from '../domain/auth-provider.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { Catalog } from '../ports/catalog.ts';

/** The members to change; an absent one keeps its value. */
export interface UpdateAuthProviderCommand extends Partial<
  Pick<AuthProvider, 'name' | 'isDefault' | 'isEnabled' | 'scopes'>
> {
  readonly id: number;
  /** An absent slot keeps its value; an empty value clears the slot, even a required one. */
  readonly values: SlotValues;
}

interface UpdateAuthProviderDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly authProviders: Pick<AuthProviderStore, 'find' | 'update'>;
  readonly clock: Clock;
}

/**
 * Changes an auth provider and returns it. NOT_FOUND if there is none; INVALID_AUTH_PROVIDER for an invalid slot or name, and for a new
 * address without the secrets; CONFLICT for a name that exists. On these errors nothing has changed. Values granted or entered for a former
 * address are not sent to the new one.
 */
export async function updateAuthProvider(
  deps: UpdateAuthProviderDeps,
  ctx: RequestContext,
  { id, values, ...change }: UpdateAuthProviderCommand,
): Promise<AuthProviderWithSlots> {
  if (change.name !== undefined) checkProviderName(change.name);
  const accountId = accountOf(ctx);
  const existing = await deps.authProviders.find(ctx, accountId, id);
  if (existing === undefined) throw notFound('auth provider');
  const head = await deps.catalog.getConnector(ctx, existing.applicationSlug);
  const method = requireProviderMethod(head, existing.authenticationId);
  const slots = slotChanges(method, values);
  const isMove = (former: AuthProvider): boolean => {
    const moved = movedSlots(head, method, former, values);
    requireSecretsAgain(method, former, values, moved);
    return moved.length > 0;
  };
  const stored = await deps.authProviders.update(
    ctx,
    accountId,
    id,
    { ...change, ...(Object.keys(values).length > 0 && { slots }) },
    { isMove, now: deps.clock.now() },
  );
  if (stored === undefined) throw notFound('auth provider');
  if (stored === 'taken') throw nameTaken(change.name ?? existing.name);
  return showProvider(stored, method);
}
