import { plainText } from '@fairlead/connector-model/import/plain-text';
import { isJsonArray, objectOrEmpty } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { manifestSchema } from '@fairlead/connector-model/manifest';
import type { z } from 'zod';
import { field } from '../openapi/authentication-methods.ts';

type Method = z.input<typeof manifestSchema>['authenticationMethods'][number];
type Field = NonNullable<Method['fields']>[number];

const MAX_LABEL = 100;
const MAX_DESCRIPTION = 1_000;

/** An authentication that a piece declares, or the reason why it cannot be used. */
export type MethodOrReason = { readonly method: Method } | { readonly reason: string };

/** The usable authentications. The id of each is its position in the piece, which gets it with every call. */
export function methodsOfPiece(auth: readonly Json[], vendor: string): readonly MethodOrReason[] {
  const made = auth.map((each, index): MethodOrReason => {
    const declared = objectOrEmpty(each);
    const way = wayOf(declared, vendor);
    if ('reason' in way) return way;
    const authenticationName =
      textOf(declared['displayName'], MAX_LABEL) ?? (way.scheme.type === 'oauth2' ? 'OAuth sign-in' : 'Key');
    return { method: { authenticationId: index, authenticationName, ...way } };
  });
  const usable = made.flatMap((each) => ('method' in each ? [each.method] : []));
  // The default is a credential that people enter, because OAuth needs a client that the operator configures.
  const first = usable.find(({ scheme }) => scheme.type !== 'oauth2') ?? usable[0];
  return made.map((each) =>
    'method' in each ? { method: { ...each.method, isDefault: each.method === first } } : each,
  );
}

function wayOf(
  declared: JsonObject,
  vendor: string,
): Pick<Method, 'fields' | 'scheme'> | { readonly reason: string } {
  const props = objectOrEmpty(declared['props']);
  switch (declared['type']) {
    case 'SECRET_TEXT':
      return { fields: [secret(declared, vendor)], scheme: { type: 'custom' } };
    case 'BASIC_AUTH':
      return {
        fields: [
          named('username', objectOrEmpty(declared['username']), { vendor, isPassword: false }),
          named('password', objectOrEmpty(declared['password']), { vendor, isPassword: true }),
        ],
        scheme: { type: 'custom' },
      };
    case 'CUSTOM_AUTH': {
      const fields = fieldsOf(props, vendor, {});
      return 'reason' in fields ? fields : { fields: fields.fields, scheme: { type: 'custom' } };
    }
    case 'OAUTH2':
      return signInOf(declared, props, vendor);
    default:
      return { reason: 'Its kind of sign-in is not known.' };
  }
}

function signInOf(
  declared: JsonObject,
  props: JsonObject,
  vendor: string,
): Pick<Method, 'fields' | 'scheme'> | { readonly reason: string } {
  const { authUrl, tokenUrl, scope, extra, pkce, authorizationMethod } = declared;
  const fields = fieldsOf(props, vendor, { atSignIn: true });
  if ('reason' in fields) return fields;
  const whole = typeof authUrl === 'string' ? authUrl : '';
  const [address = '', query = ''] = whole.split('?', 2);
  const further = Object.entries(objectOrEmpty(extra)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return {
    fields: [field('clientId', vendor), field('clientSecret', vendor), ...fields.fields],
    scheme: {
      type: 'oauth2',
      grant: 'authorizationCode',
      authorizationUrl: withFields(address, props),
      tokenUrl: withFields(typeof tokenUrl === 'string' ? tokenUrl : '', props),
      scopes: (isJsonArray(scope ?? null) ? listOf(scope) : []).filter((each) => typeof each === 'string'),
      usesPkce: pkce === true,
      clientAuthentication: authorizationMethod === 'HEADER' ? 'basic' : 'body',
      authorizationParameters: {
        ...Object.fromEntries(new URLSearchParams(query)),
        ...Object.fromEntries(further),
      },
      allowsAuthProvider: true,
    },
  };
}

/** An address that refers to the piece's fields as `{region}`. */
function withFields(url: string, props: JsonObject): string {
  return url.replaceAll(/\{([A-Za-z0-9_]+)\}/g, (text, name: string) =>
    Object.hasOwn(props, name) ? `{{field.${name}}}` : text,
  );
}

function fieldsOf(
  props: JsonObject,
  vendor: string,
  members: { readonly atSignIn?: true },
): { readonly fields: readonly Field[] & Field[] } | { readonly reason: string } {
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(props)) {
    const prop = objectOrEmpty(value);
    const { type } = prop;
    if (type === 'MARKDOWN') continue;
    if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) || typeof type !== 'string' || !Object.hasOwn(TYPES, type))
      return { reason: `Its field ${name.slice(0, 100)} is of a kind that connections do not have.` };
    const isSelect = type === 'STATIC_DROPDOWN';
    fields.push({
      ...named(name, prop, { vendor, isPassword: type === 'SECRET_TEXT' }),
      type: TYPES[type],
      ...(isSelect && { options: [...optionsOf(prop)] }),
      ...members,
    });
  }
  return { fields };
}

const TYPES: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'select'>> = {
  SHORT_TEXT: 'string',
  LONG_TEXT: 'string',
  SECRET_TEXT: 'string',
  NUMBER: 'number',
  CHECKBOX: 'boolean',
  STATIC_DROPDOWN: 'select',
};

function optionsOf(prop: JsonObject): readonly { readonly value: string; readonly label: string }[] {
  return listOf(objectOrEmpty(prop['options'])['options']).flatMap((option) => {
    const { label, value } = objectOrEmpty(option);
    return typeof value === 'string' ? [{ value, label: textOf(label, MAX_LABEL) ?? value }] : [];
  });
}

function secret(declared: JsonObject, vendor: string): Field {
  return named('secret', { ...declared, required: true }, { vendor, isPassword: true });
}

function named(
  name: string,
  prop: JsonObject,
  { vendor, isPassword }: { readonly vendor: string; readonly isPassword: boolean },
): Exclude<Field, { readonly preset: unknown }> {
  const label = textOf(prop['displayName'], MAX_LABEL) ?? name;
  return {
    name,
    label,
    description: textOf(prop['description'], MAX_DESCRIPTION) ?? `${label} of your account at ${vendor}.`,
    isRequired: prop['required'] !== false,
    isPassword,
  };
}

function textOf(value: Json | undefined, limit: number): string | undefined {
  return typeof value === 'string' ? plainText(value, limit) : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}
