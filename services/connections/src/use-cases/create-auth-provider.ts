import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AuthProvider, AuthProviderWithSlots, SlotValues } from '../domain/auth-provider.ts';
import {
  checkProviderName,
  nameTaken,
  requireProviderMethod,
  requireSlots,
  showProvider,
  slotChanges,
  tooManyProviders,
} from '../domain/auth-provider.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { Catalog } from '../ports/catalog.ts';

export interface CreateAuthProviderCommand extends Pick<
  AuthProvider,
  'name' | 'applicationSlug' | 'authenticationId' | 'isDefault' | 'isEnabled' | 'scopes'
> {
  /** An empty value counts as absent. */
  readonly values: SlotValues;
}

interface CreateAuthProviderDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly authProviders: Pick<AuthProviderStore, 'nextId' | 'insert'>;
  readonly clock: Clock;
}

/**
 * Stores an auth provider and returns it; a new default replaces the method's former default. NOT_FOUND for an unknown application,
 * INVALID_AUTH_PROVIDER for slots or names that are not allowed, CONFLICT for a name that exists.
 */
export async function createAuthProvider(
  deps: CreateAuthProviderDeps,
  ctx: RequestContext,
  { values, ...command }: CreateAuthProviderCommand,
): Promise<AuthProviderWithSlots> {
  checkProviderName(command.name);
  const head = await deps.catalog.getConnector(ctx, command.applicationSlug);
  const method = requireProviderMethod(head, command.authenticationId);
  const slots = slotChanges(method, values);
  requireSlots(method, ({ slot }) => slot in slots.plain || slot in slots.secret);
  const stored = await deps.authProviders.insert(ctx, {
    ...command,
    id: await deps.authProviders.nextId(),
    accountId: accountOf(ctx),
    applicationSlug: head.slug,
    slots,
    createdAt: deps.clock.now(),
  });
  if (stored === 'full') throw tooManyProviders();
  if (stored === 'taken') throw nameTaken(command.name);
  return showProvider(stored, method);
}
