import type { JsonObject } from '@fairlead/connector-model/json';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import { Secret } from '@fairlead/service-kit/secret';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { Sealer } from '@fairlead/sealing/sealing';
import { NO_VALUES } from '../domain/credential.ts';
import type { FieldValues, Tokens } from '../domain/credential.ts';
import type { SealedTokens } from './connection.collection.ts';

/** The record to which a sealed value belongs: copied to another record, it cannot be opened. */
export interface VaultRecord {
  readonly accountId: string;
  readonly collection:
    'connections' | 'sign_ins' | 'auth_providers' | 'retired_auth_providers' | 'registered_clients';
  readonly id: string;
}

/** Seals and opens the secrets of connections, sign-ins, auth providers and registered clients. The only place with the slot names. */
export interface CredentialVault {
  sealFields(record: VaultRecord, fields: JsonObject): Promise<SealedValue | null>;
  openFields(record: VaultRecord, sealed: SealedValue | null): Promise<Secret<JsonObject>>;
  sealTokens(record: VaultRecord, tokens: Tokens): Promise<SealedTokens>;
  openTokens(record: VaultRecord, sealed: SealedTokens): Promise<Tokens>;
  sealText(record: VaultRecord, slot: TextSlot, text: Secret): Promise<SealedValue>;
  openText(record: VaultRecord, slot: TextSlot, sealed: SealedValue): Promise<Secret>;
}

interface TokenTexts {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** Absent if the vendor sent none, and in values sealed by earlier releases. */
  readonly captured?: { readonly plain: JsonObject; readonly secret: JsonObject };
}

/** A slot with a single text, of a sign-in, a registered client or an auth provider. */
type TextSlot = 'verifier' | 'clientSecret' | ProviderSlot;

/** Every secret of a record has its own slot. */
export type VaultSlot = 'fields' | 'tokens' | TextSlot;

/** The record of a collection with that id. */
export function recordOf(
  collection: VaultRecord['collection'],
  accountId: string,
  id: string | number,
): VaultRecord {
  return { accountId, collection, id: String(id) };
}

/** The associated data of a slot. */
export function vaultBinding({ collection, id }: VaultRecord, slot: VaultSlot): readonly string[] {
  return [collection, id, slot];
}

/** A vault over the kit's sealer; each account has its own data key. */
export function createCredentialVault(sealer: Sealer): CredentialVault {
  return {
    async sealFields(record, fields) {
      if (Object.keys(fields).length === 0) return null;
      return await sealer.seal(record.accountId, vaultBinding(record, 'fields'), JSON.stringify(fields));
    },
    async openFields(record, sealed) {
      if (sealed === null) return new Secret({});
      const text = await sealer.open(record.accountId, vaultBinding(record, 'fields'), sealed);
      // sealFields wrote this; the seal proves it.
      return new Secret(JSON.parse(text.reveal()) as JsonObject);
    },
    async sealTokens(record, tokens) {
      const texts: TokenTexts = {
        accessToken: tokens.accessToken.reveal(),
        refreshToken: tokens.refreshToken?.reveal() ?? null,
        ...capturedTexts(tokens.captured),
      };
      const sealed = await sealer.seal(
        record.accountId,
        vaultBinding(record, 'tokens'),
        JSON.stringify(texts),
      );
      return { sealed, obtainedAt: tokens.obtainedAt, expiresAt: tokens.expiresAt };
    },
    async openTokens(record, { sealed, obtainedAt, expiresAt }) {
      const text = await sealer.open(record.accountId, vaultBinding(record, 'tokens'), sealed);
      // sealTokens wrote this; the seal proves it.
      const { accessToken, refreshToken, captured } = JSON.parse(text.reveal()) as TokenTexts;
      return {
        accessToken: new Secret(accessToken),
        refreshToken: refreshToken === null ? null : new Secret(refreshToken),
        obtainedAt,
        expiresAt,
        captured:
          captured === undefined ? NO_VALUES : { plain: captured.plain, secret: new Secret(captured.secret) },
      };
    },
    sealText: (record, slot, text) =>
      sealer.seal(record.accountId, vaultBinding(record, slot), text.reveal()),
    openText: (record, slot, sealed) => sealer.open(record.accountId, vaultBinding(record, slot), sealed),
  };
}

function capturedTexts({ plain, secret }: FieldValues): Pick<TokenTexts, 'captured'> {
  const values = { plain, secret: secret.reveal() };
  return Object.values(values).every((each) => Object.keys(each).length === 0) ? {} : { captured: values };
}
