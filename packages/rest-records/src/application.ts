import { FIELD_TYPE_VALUES, KIND_VALUES, MATURITY_VALUES } from '@fairlead/connector-model/proto-enums';
import type {
  Application,
  AuthenticationMethod,
  FieldDescriptor,
} from '@fairlead/contracts/catalog/v1/application_pb';
import { z } from 'zod';
import { lazyValue, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nameOf, namesOf } from './enums.ts';
import { presentTime } from './values.ts';

/** The kind of a connection's application. */
export const kindName = z
  .enum(namesOf(KIND_VALUES))
  .describe(
    'Regular, Key (every method is an API key), OPA (on-prem) or MCPClient (a third-party MCP server).',
  )
  .meta({ id: 'Kind' });

const fieldDescriptor = z
  .strictObject({
    name: z.string(),
    label: z.string(),
    description: z.string(),
    type: z.enum(namesOf(FIELD_TYPE_VALUES)),
    isRequired: z.boolean(),
    isPassword: z.boolean().describe('A field is secret when isPassword or maskInLogs is true.'),
    maskInLogs: z.boolean().describe('True for a secret that is not a password.'),
    defaultValue: lazyValue.describe('Null if there is none.'),
    options: z.array(z.strictObject({ value: z.string(), label: z.string() })),
    providerSlot: z
      .string()
      .nullable()
      .describe('The auth provider slot that holds this field; null if none does.'),
    atSignIn: z
      .boolean()
      .describe('Whether it is sent in `fields` of get-sign-in-url, because the vendor’s address needs it.'),
    pattern: z
      .string()
      .nullable()
      .describe('A regular expression that the whole of a text value matches; null: any text.'),
  })
  .meta({ id: 'FieldDescriptor' });

const authenticationMethod = z
  .strictObject({
    authenticationId: z.int32(),
    authenticationName: z.string(),
    requiresOAuthSignIn: z.boolean(),
    isDefault: z.boolean().describe('True for exactly one method of an application.'),
    fields: z.array(fieldDescriptor),
  })
  .meta({ id: 'AuthenticationMethod' });

const summary = {
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  categories: z.array(z.string()),
  kind: kindName,
  logoUrl: z.string().nullable(),
  isAvailable: z.boolean().describe('Whether the account can connect it now.'),
  isMcpEnabled: z.boolean().describe('Whether its tools may be served on MCP servers.'),
  supportsObjectSelection: z.boolean(),
  maturity: z.enum(namesOf(MATURITY_VALUES)),
  toolCount: z.int32(),
  triggerTypeCount: z.int32(),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** One application of the list. */
export const applicationSummary = z
  .strictObject({
    ...summary,
    score: z.number().min(0).max(1).optional().describe('Relevance; present only with a search.'),
  })
  .meta({ id: 'ApplicationSummary' });

/** One application in full. */
export const applicationDetail = z
  .strictObject({ ...summary, authenticationMethods: z.array(authenticationMethod) })
  .meta({ id: 'Application' });

/** An application of the list; search results have a score from the catalog. */
export function presentApplicationSummary(application: Application): z.output<typeof applicationSummary> {
  const { score } = application;
  return { ...presentSummary(application), ...(score !== undefined && { score }) };
}

/** An application in full. */
export function presentApplication(application: Application): z.output<typeof applicationDetail> {
  return {
    ...presentSummary(application),
    authenticationMethods: application.authenticationMethods.map(presentMethod),
  };
}

function presentSummary(application: Application) {
  return {
    slug: application.slug,
    name: application.name,
    description: application.description,
    categories: application.categories,
    kind: nameOf(KIND_VALUES, application.kind),
    logoUrl: application.logoUrl ?? null,
    isAvailable: application.isAvailable,
    isMcpEnabled: application.isMcpEnabled,
    supportsObjectSelection: application.supportsObjectSelection,
    maturity: nameOf(MATURITY_VALUES, application.maturity),
    toolCount: application.toolCount,
    triggerTypeCount: application.triggerTypeCount,
    createdAt: presentTime(application.createdAt),
    updatedAt: presentTime(application.updatedAt),
  };
}

function presentMethod(method: AuthenticationMethod): z.output<typeof authenticationMethod> {
  return {
    authenticationId: method.authenticationId,
    authenticationName: method.authenticationName,
    requiresOAuthSignIn: method.requiresOauthSignIn,
    isDefault: method.isDefault,
    fields: method.fields.map(presentField),
  };
}

function presentField(field: FieldDescriptor): z.output<typeof fieldDescriptor> {
  return {
    name: field.name,
    label: field.label,
    description: field.description,
    type: nameOf(FIELD_TYPE_VALUES, field.type),
    isRequired: field.isRequired,
    isPassword: field.isPassword,
    maskInLogs: field.maskInLogs,
    defaultValue: field.defaultValueJson === undefined ? null : new LazyJson(field.defaultValueJson),
    options: field.options.map(({ value, label }) => ({ value, label })),
    providerSlot: field.providerSlot ?? null,
    atSignIn: field.atSignIn,
    pattern: field.pattern ?? null,
  };
}
