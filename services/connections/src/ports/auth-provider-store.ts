import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AuthProvider, OpenedAuthProvider, SlotChanges } from '../domain/auth-provider.ts';
import type { MethodKey } from './own-clients.ts';

/** A provider to store; the store takes it out of use as a default where another takes its place. */
export interface NewAuthProvider extends Omit<
  AuthProvider,
  'values' | 'secretSlots' | 'lastError' | 'addressRevision' | 'updatedAt'
> {
  readonly slots: SlotChanges;
}

/** The members of a provider to change; an absent one keeps its value. A change of slots or scopes clears `lastError`. */
export interface AuthProviderChange extends Partial<
  Pick<AuthProvider, 'name' | 'isDefault' | 'isEnabled' | 'scopes'>
> {
  readonly slots?: SlotChanges;
}

/** One page of a list, and the number of matches over all pages. */
export interface AuthProviderPage {
  readonly items: readonly AuthProvider[];
  readonly totalCount: number;
}

/** A method for which there is a provider. */
export interface ProvidedMethod extends MethodKey {
  readonly heldSlots: readonly string[];
}

/** The auth providers of all accounts; every method except nextId is confined to one account. */
export interface AuthProviderStore {
  /** Returns an id that was never used before. */
  nextId(): Promise<number>;
  /** Stores a provider; `taken` if the account has one of that name, `full` if it has MAX_AUTH_PROVIDERS. */
  insert(ctx: RequestContext, provider: NewAuthProvider): Promise<AuthProvider | 'taken' | 'full'>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<AuthProvider | undefined>;
  /** One provider with its secrets, by its id or name, or as the default of a method. */
  open(
    ctx: RequestContext,
    accountId: string,
    by: { readonly id: number } | { readonly name: string } | { readonly defaultOf: MethodKey },
  ): Promise<OpenedAuthProvider | undefined>;
  /** The methods for which an enabled provider exists, with the slots that it holds; once for providers that hold the same. */
  methods(ctx: RequestContext, accountId: string): Promise<readonly ProvidedMethod[]>;
  /** Records what the vendor said when it refused the client; null: it has accepted it. */
  saveLastError(ctx: RequestContext, accountId: string, id: number, lastError: string | null): Promise<void>;
  /** Newest first; with `usable`, only enabled ones (of one application, if named). */
  list(
    ctx: RequestContext,
    accountId: string,
    o: Page & { readonly usable?: { readonly applicationSlug: string | undefined } },
  ): Promise<AuthProviderPage>;
  /**
   * Undefined: there is none with that id; `taken`: another one has the name. `isMove` gets the provider as it is in the
   * transaction of the change, says whether the change leads to another address, and throws if the change must not follow it. After a
   * move, the sign-ins of the provider's connections are due to be renewed, which ends them.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    id: number,
    change: AuthProviderChange,
    o: { readonly isMove: (former: AuthProvider) => boolean; readonly now: Date },
  ): Promise<AuthProvider | 'taken' | undefined>;
  /** A provider that was deleted while grants through it were to be revoked; for two days. */
  openRetired(ctx: RequestContext, accountId: string, id: number): Promise<OpenedAuthProvider | undefined>;
  /** Removes a provider unless a connection uses it. Revocations of its grants that wait can still open it. */
  delete(
    ctx: RequestContext,
    accountId: string,
    id: number,
    now: Date,
  ): Promise<'deleted' | 'inUse' | 'missing'>;
}
