import type { ServiceImpl } from '@connectrpc/connect';
import type { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { Member } from '../domain/records.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { recordKeyUses } from '../use-cases/record-key-uses.ts';
import { resolveAccounts } from '../use-cases/resolve-accounts.ts';
import { resolveKeys } from '../use-cases/resolve-keys.ts';
import { resolveToken } from '../use-cases/resolve-token.ts';
import { fromReferences, fromUses, toMember, toKeyOwner } from './convert-member.ts';
import { platformContext } from './platform-context.ts';

/** CredentialService of proto/fairlead/identity/v1 over the use cases. */
export function createCredentialService(
  deps: DepsOf<typeof resolveKeys | typeof resolveToken | typeof resolveAccounts | typeof recordKeyUses> & {
    readonly signingKeys: Pick<SigningKeys, 'listPublished'>;
    /** Finds the active user to whom these cookies belong. */
    readonly findSignedInMember: (cookies: string) => Promise<Member | undefined>;
  },
): ServiceImpl<typeof CredentialService> {
  return {
    async resolveKeys({ hashes, takesRestrictions }, h) {
      const owners = await resolveKeys(deps, platformContext(h), { hashes, takesRestrictions });
      return { owners: owners.map(toKeyOwner) };
    },
    async resolveToken({ accountId, userId, clientId, tokenId, grantId }, h) {
      const token = { accountId, userId, clientId, tokenId, grantId };
      const member = await resolveToken(deps, platformContext(h), token);
      return member === undefined ? {} : { member: toMember(member) };
    },
    async resolveSignIn({ cookies }, h) {
      platformContext(h);
      const member = await deps.findSignedInMember(cookies);
      return member === undefined ? {} : { member: toMember(member) };
    },
    async resolveAccounts(request, h) {
      const members = await resolveAccounts(deps, platformContext(h), fromReferences(request));
      return { members: members.map(toMember) };
    },
    async listVerificationKeys(_request, h) {
      platformContext(h);
      const published = await deps.signingKeys.listPublished();
      return {
        keys: published.map(({ kid, publicKey }) => ({
          kid,
          publicKey: publicKey.export({ type: 'spki', format: 'der' }),
        })),
      };
    },
    async recordKeyUses(request, h) {
      await recordKeyUses(deps, platformContext(h), fromUses(request));
      return {};
    },
  };
}
