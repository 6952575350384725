import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AuthProvider, AuthProviderWithSecrets, SlotChanges } from '../domain/auth-provider.ts';
import type { MethodKey } from './own-clients.ts';

/** A provider to store. If it is a default, it replaces the former default. */
export interface NewAuthProvider extends Omit<
  AuthProvider,
  'values' | 'secretSlots' | 'lastError' | 'addressRevision' | 'updatedAt'
> {
  readonly slots: SlotChanges;
}

/** The members to change; an absent one keeps its value. Changing slots or scopes clears `lastError`. */
export interface AuthProviderChange extends Partial<
  Pick<AuthProvider, 'name' | 'isDefault' | 'isEnabled' | 'scopes'>
> {
  readonly slots?: SlotChanges;
}

/** One page of a list, and the total number of matches. */
export interface AuthProviderPage {
  readonly items: readonly AuthProvider[];
  readonly totalCount: number;
}

/** A method with an enabled provider. */
export interface ProvidedMethod extends MethodKey {
  readonly heldSlots: readonly string[];
}

/** Stores auth providers. Every method except nextId is limited to one account. */
export interface AuthProviderStore {
  /** Returns a new id. */
  nextId(): Promise<number>;
  /** Stores a provider; `taken` if the account has one with that name, `full` if it has MAX_AUTH_PROVIDERS. */
  insert(ctx: RequestContext, provider: NewAuthProvider): Promise<AuthProvider | 'taken' | 'full'>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<AuthProvider | undefined>;
  /** One provider with its secrets, by id, by name, or as the default of a method. */
  open(
    ctx: RequestContext,
    accountId: string,
    by: { readonly id: number } | { readonly name: string } | { readonly defaultOf: MethodKey },
  ): Promise<AuthProviderWithSecrets | undefined>;
  /** The methods with an enabled provider, and the provider's slots with values; duplicates are merged. */
  methods(ctx: RequestContext, accountId: string): Promise<readonly ProvidedMethod[]>;
  /** Records the vendor's text when it refused the client; null: it accepted the client. */
  saveLastError(ctx: RequestContext, accountId: string, id: number, lastError: string | null): Promise<void>;
  /** Newest first; `usable` selects enabled ones (of one application, if named). */
  list(
    ctx: RequestContext,
    accountId: string,
    o: Page & { readonly usable?: { readonly applicationSlug: string | undefined } },
  ): Promise<AuthProviderPage>;
  /**
   * Undefined: there is none with that id; `taken`: another one has the name. `isMove` gets the provider as read in the transaction,
   * returns whether the change leads to another address, and throws to refuse the change. After such a move, the grants of the provider's
   * connections become due for renewal, which ends them.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    id: number,
    change: AuthProviderChange,
    o: { readonly isMove: (former: AuthProvider) => boolean; readonly now: Date },
  ): Promise<AuthProvider | 'taken' | undefined>;
  /** A deleted provider whose grants are still being revoked; kept for two days. */
  openRetired(
    ctx: RequestContext,
    accountId: string,
    id: number,
  ): Promise<AuthProviderWithSecrets | undefined>;
  /** Removes a provider unless a connection uses it. Waiting revocations of its grants can still open it. */
  delete(
    ctx: RequestContext,
    accountId: string,
    id: number,
    now: Date,
  ): Promise<'deleted' | 'inUse' | 'missing'>;
}
