import { z } from 'zod';
import { PROVIDER_SLOTS } from '../enumerations.ts';
import { fieldSourceShape } from './field-source.ts';
import { oauth2Scheme } from './oauth2-scheme.ts';
import { dynamicOptions, httpRequestTemplate } from './request.ts';
import { template } from './template.ts';
import { translationsOf } from './translations.ts';

/** Name of a function in the connector's handlers.ts. */
export const handlerName = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,63}$/, 'must be the name of a function')
  .describe("Name of a function exported by the connector's handlers.ts.");

const testProbe = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('http').describe('A request whose 2xx response means that the credential works.'),
      request: httpRequestTemplate,
    }),
    z.strictObject({
      type: z.literal('handler').describe('A handler of the connector.'),
      handler: handlerName,
    }),
    z.strictObject({ type: z.literal('mcp').describe('The handshake with the MCP server.') }),
  ])
  .describe('How a credential is checked.');

const fieldTexts = {
  label: z.string().min(1).max(100).describe('Name of the field for people.'),
  description: z.string().min(1).max(1024).describe('What to enter.'),
  help: z
    .string()
    .min(1)
    .max(500)
    .nullable()
    .default(null)
    .describe('Where people find the value, such as a key; null: no help.'),
};
const optionLabel = z.string().min(1).max(200).describe('The label for people.');
const methodName = z.string().min(1).max(100).describe('Name of the method for people.');

/** One field of a connection. */
export const fieldDescriptor = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must be a name of letters, digits and underscores')
      .refine((name) => name.toLowerCase() !== 'externalorgid', 'is reserved')
      .describe('Name of the field, unique in its method; templates refer to it as {{field.<name>}}.'),
    ...fieldTexts,
    helpUrl: template
      .regex(/^(?:https?:\/\/|\{\{setting\.)/, 'must begin with https://, http:// or a setting')
      .nullable()
      .default(null)
      .describe('Page on which people find the value; a template over settings. Null: none.'),
    translations: translationsOf(fieldTexts),
    type: z
      .enum(['string', 'number', 'boolean', 'select', 'json'])
      .default('string')
      .describe('Type of the value.'),
    isRequired: z
      .boolean()
      .default(false)
      .describe(
        "Must have a value; one with a provider slot only if neither a provider nor the connector's own client has it.",
      ),
    isPassword: z.boolean().default(false).describe('A secret, typed into a password box.'),
    maskInLogs: z.boolean().default(false).describe('A secret that is not a password.'),
    defaultValue: z.json().default(null).describe('Value of the field if none is given; null: none.'),
    options: z
      .array(
        z.strictObject({
          value: z.string().max(1000).describe('The value to save.'),
          label: optionLabel,
          translations: translationsOf({ label: optionLabel }),
        }),
      )
      .max(1000)
      .default([])
      .describe('Valid values of a select field.'),
    providerSlot: z
      .enum(PROVIDER_SLOTS)
      .nullable()
      .default(null)
      .describe('Where an auth provider holds the value; null: a provider never holds it.'),
    dynamicOptions: dynamicOptions.nullable().default(null),
    ...fieldSourceShape,
  })
  .describe('One field of a connection.');

/** The way in which the credential is sent to the vendor. */
export const authenticationScheme = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none').describe('Nothing is sent.') }),
    z.strictObject({
      type: z.literal('apiKey').describe('A key in a header, a query parameter or a cookie.'),
      in: z.enum(['header', 'query', 'cookie']).describe('Where the key is sent.'),
      name: template.describe('Name of the header, parameter or cookie; a template.'),
      value: template.describe('The key; a template over the fields of the method.'),
    }),
    z.strictObject({
      type: z.literal('basic').describe('HTTP basic authentication (RFC 7617).'),
      username: z.string().max(2048).describe('The user name; a template.'),
      password: z.string().max(2048).describe('The password; a template.'),
    }),
    z.strictObject({
      type: z.literal('bearer').describe('A bearer token (RFC 6750).'),
      token: template.describe('The token; a template.'),
    }),
    z.strictObject({
      type: z
        .literal('awsSigV4')
        .describe('Each request is signed with the keys of an AWS account (Signature Version 4).'),
      accessKeyId: template.describe('The access key id; a template over the fields of the method.'),
      secretAccessKey: template.describe('The secret access key; a template over the fields of the method.'),
      region: template.describe('The region that the request is for; a template.'),
      service: z
        .string()
        .regex(/^[a-z0-9-]{1,50}$/, 'must be the name of a service in signatures, such as sqs')
        .describe('Name of the service in signatures, such as sqs.'),
    }),
    z.strictObject({
      type: z.literal('custom').describe("The connector's handlers use the fields themselves."),
    }),
    oauth2Scheme,
  ])
  .describe('How the credential is sent to the vendor.');

/** One way to connect an application. */
export const authenticationMethod = z
  .strictObject({
    authenticationId: z
      .int32()
      .min(0)
      .describe('Id of the method, unique in the connector. Never reuse one.'),
    authenticationName: methodName,
    translations: translationsOf({ authenticationName: methodName }),
    isDefault: z
      .boolean()
      .default(false)
      .describe('Whether this is the default method; exactly one method of a connector is.'),
    fields: z
      .array(fieldDescriptor)
      .max(50)
      .default([])
      .describe('The fields of a connection with this method.'),
    scheme: authenticationScheme,
    baseUrl: template
      .nullable()
      .default(null)
      .describe(
        "Prefix of relative request URLs for connections with this method, in place of the connector's; null: the connector's.",
      ),
    test: testProbe
      .nullable()
      .default(null)
      .describe('How to check a credential; null: it cannot be checked.'),
  })
  .describe('One way to connect the application.');
