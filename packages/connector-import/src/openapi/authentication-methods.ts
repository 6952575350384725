import { isJsonArray, isJsonObject, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { manifestSchema } from '@fairlead/connector-model/manifest';
import { apiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import type { ApiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import { fieldOfPreset } from '@fairlead/connector-model/schema/preset-field';
import type { z } from 'zod';
import { ImportRefusal } from '../import-job.ts';

type Method = z.input<typeof manifestSchema>['authenticationMethods'][number];
type Preset = Parameters<typeof fieldOfPreset>[0]['preset'];

/** Maximum characters of a header's or parameter's name in the name of a method. */
const SHOWN_NAME = 80;

/** The security schemes of a document that its operations use. */
export interface Security {
  /** The authentications of each usable scheme, by the scheme's name. */
  readonly ways: ReadonlyMap<string, readonly ApiAuthentication[]>;
  /** Whether the operations can be called without authentication. */
  readonly isOptional: boolean;
}

/** The authentications that the document and these operations permit. Requirements that combine two schemes are ignored. */
export function securityOf(
  document: JsonObject,
  operations: readonly JsonObject[],
  baseUrl: string,
): Security {
  const schemes = objectOrEmpty(
    objectOrEmpty(document['components'])['securitySchemes'] ?? document['securityDefinitions'],
  );
  const requirements = operations
    .flatMap((raw) => listOf(raw['security'] ?? document['security']))
    .filter(isJsonObject);
  const required = new Set(
    requirements.flatMap((each) => (Object.keys(each).length === 1 ? Object.keys(each) : [])),
  );
  // A document may declare schemes without requiring any; then all of them count.
  const names = requirements.length === 0 ? Object.keys(schemes) : [...required];
  const ways = new Map<string, readonly ApiAuthentication[]>();
  for (const name of names) {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    const found = isJsonObject(scheme) ? waysOf(scheme, scopesOf(requirements, name), baseUrl) : [];
    if (found.length > 0) ways.set(name, found);
  }
  const isOptional =
    Object.keys(schemes).length === 0 ||
    (requirements.length > 0 && requirements.every((each) => Object.keys(each).length === 0));
  if (ways.size === 0 && !isOptional)
    throw new ImportRefusal({
      field: 'authentication',
      issue: `none of the document's security schemes (${Object.keys(schemes).slice(0, 10).join(', ').slice(0, 200)}) can be used alone: say how connections sign in`,
    });
  return { ways, isOptional };
}

/** The scopes that the requirements state for a scheme. */
function scopesOf(requirements: readonly JsonObject[], name: string): readonly string[] {
  const scopes = requirements.flatMap((each) => (Object.hasOwn(each, name) ? listOf(each[name]) : []));
  return [
    ...new Set(scopes.filter((scope) => typeof scope === 'string' && scope !== '')),
  ] as readonly string[];
}

function waysOf(
  scheme: JsonObject,
  scopes: readonly string[],
  baseUrl: string,
): readonly ApiAuthentication[] {
  const { type, in: place, name } = scheme;
  switch (type) {
    case 'apiKey':
      return valid({ type, in: place, name });
    case 'basic':
      return valid({ type });
    case 'http': {
      const kind = typeof scheme['scheme'] === 'string' ? scheme['scheme'].toLowerCase() : '';
      return kind === 'basic' || kind === 'bearer' ? valid({ type: kind }) : [];
    }
    case 'oauth2':
      return flowsOf(scheme).flatMap(({ hasSignIn, flow }) => {
        const url = (value: Json | undefined): string | null =>
          typeof value === 'string' ? (URL.parse(value, `${baseUrl}/`)?.href ?? null) : null;
        const known = Object.keys(objectOrEmpty(flow['scopes']));
        return valid({
          type,
          authorizationUrl: hasSignIn ? (url(flow['authorizationUrl']) ?? '') : null,
          tokenUrl: url(flow['tokenUrl']),
          scopes: (scopes.length > 0 ? scopes : known).slice(0, 100),
        });
      });
    default:
      return [];
  }
}

function flowsOf(scheme: JsonObject): readonly { readonly hasSignIn: boolean; readonly flow: JsonObject }[] {
  const flows = objectOrEmpty(scheme['flows']);
  const found = [
    { hasSignIn: true, flow: flows['authorizationCode'] },
    { hasSignIn: false, flow: flows['clientCredentials'] },
    // Swagger 2.0.
    { hasSignIn: true, flow: scheme['flow'] === 'accessCode' ? scheme : undefined },
    { hasSignIn: false, flow: scheme['flow'] === 'application' ? scheme : undefined },
  ];
  return found.flatMap(({ hasSignIn, flow }) => (isJsonObject(flow) ? [{ hasSignIn, flow }] : []));
}

/** The authentication, if it can be sent. */
function valid(way: unknown): readonly ApiAuthentication[] {
  const { data } = apiAuthentication.safeParse(way);
  return data === undefined ? [] : [data];
}

/** The methods of an application with these authentications, direct credentials first. */
export function methodsOf(ways: readonly ApiAuthentication[], vendor: string): readonly Method[] {
  const sorted = ways.toSorted((a, b) => Number(a.type === 'oauth2') - Number(b.type === 'oauth2'));
  return sorted.map((way, index) => ({
    ...methodOf(way, vendor),
    authenticationId: index,
    isDefault: index === 0,
  }));
}

function methodOf(way: ApiAuthentication, vendor: string): Omit<Method, 'authenticationId'> {
  switch (way.type) {
    case 'none':
      return { authenticationName: 'None', scheme: { type: 'none' } };
    case 'apiKey':
      return {
        authenticationName: `API key (${way.name.slice(0, SHOWN_NAME)})`,
        fields: [field('apiKey', vendor)],
        scheme: { type: 'apiKey', in: way.in, name: way.name, value: '{{field.apiKey}}' },
      };
    case 'basic':
      return {
        authenticationName: 'User name and password',
        fields: [
          {
            name: 'username',
            label: 'User name',
            description: `Your user name at ${vendor}.`,
            isRequired: true,
          },
          {
            name: 'password',
            label: 'Password',
            description: `Your password at ${vendor}. Leave it empty if the user name is a key.`,
            isPassword: true,
          },
        ],
        scheme: { type: 'basic', username: '{{field.username}}', password: '{{field.password}}' },
      };
    case 'bearer':
      return {
        authenticationName: 'Access token',
        fields: [field('accessToken', vendor)],
        scheme: { type: 'bearer', token: '{{field.accessToken}}' },
      };
    case 'oauth2': {
      const { authorizationUrl, tokenUrl, scopes } = way;
      return {
        authenticationName: authorizationUrl === null ? 'OAuth client credentials' : 'OAuth sign-in',
        fields: [field('clientId', vendor), field('clientSecret', vendor)],
        scheme: {
          type: 'oauth2',
          grant: authorizationUrl === null ? 'clientCredentials' : 'authorizationCode',
          authorizationUrl,
          tokenUrl,
          scopes,
          allowsAuthProvider: true,
        },
      };
    }
  }
}

/** A field with its texts in every language, without help, because the place where the vendor shows the value is unknown. */
export function field(preset: Preset, vendor: string): NonNullable<Method['fields']>[number] {
  const { translations, ...whole } = fieldOfPreset({ preset, where: '', helpUrl: null }, vendor);
  return {
    ...whole,
    help: null,
    translations: Object.fromEntries(
      Object.entries(translations).map(([language, texts]) => [language, { ...texts, help: null }]),
    ),
  };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}
