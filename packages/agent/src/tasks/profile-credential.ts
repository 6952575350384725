import type { AgentCall } from '@fairlead/agent-channel/call';
import type { Credential, InputIssue } from '@fairlead/connector-runtime/call';
import { parsedMembers } from '@fairlead/connector-runtime/handler';
import { PROFILE_TYPES } from '../config/profiles.ts';
import type { Profile } from '../config/profiles.ts';

const NO_CREDENTIAL: Credential = { version: 1, fields: {}, secrets: [] };

/** A call's credential, or the reason why it has none. */
type CallCredential =
  | {
      readonly kind: 'credential';
      readonly credential: Credential;
      /** Each profile has separate sessions, like the platform's connections. */
      readonly connectionId: number;
    }
  | { readonly kind: 'refused'; readonly issue: InputIssue };

/**
 * The credential of the profile that the call names in `fields.profile`. Only handlers of connectors for which
 * profiles are intended get one, because an HTTP request that the platform describes could send the values anywhere.
 * `handler`: the call's handler; undefined: it is such an HTTP request.
 */
export function credentialOf(
  { connector, fields }: Pick<AgentCall, 'connector' | 'fields'>,
  handler: string | undefined,
  profiles: ReadonlyMap<string, Profile>,
): CallCredential {
  const { profile: profileName } = fields;
  const types = handler === undefined ? undefined : PROFILE_TYPES.get(connector.slug);
  if (profileName === undefined || types === undefined)
    return { kind: 'credential', credential: NO_CREDENTIAL, connectionId: 0 };
  const { profile: name } = parsedMembers({ profile: profileName });
  const profile = typeof name === 'string' ? profiles.get(name) : undefined;
  if (profile !== undefined && types.includes(profile.type)) {
    const { fields: values, secrets } = profile;
    const connectionId = [...profiles.keys()].indexOf(profile.name) + 1;
    return { kind: 'credential', credential: { version: 1, fields: values, secrets }, connectionId };
  }
  const usable = [...profiles.values()].filter(({ type }) => types.includes(type)).map((one) => one.name);
  const choice = usable.length === 0 ? 'it has none' : `it has ${usable.join(', ')}`;
  return {
    kind: 'refused',
    issue: {
      field: 'fields.profile',
      issue: `is not a profile of type ${types.join(' or ')} in the agent's configuration: ${choice}`,
    },
  };
}
