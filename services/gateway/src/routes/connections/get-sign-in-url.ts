import { z } from 'zod';
import { recordId, slug } from '@fairlead/rest-kit/fields';
import { signInStart } from '@fairlead/rest-records/sign-in';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { defineRoute } from '../define-route.ts';
import { credentialFields } from './inputs.ts';
import { providerChoice, providerFields } from './provider-choice.ts';

const body = z
  .object({
    applicationSlug: slug,
    authenticationId: z.int32().min(0),
    fields: credentialFields
      .default({})
      .describe(
        'Values of the method’s fields with `atSignIn`, which the vendor’s address needs; saved with the connection.',
      ),
    connectionId: recordId
      .optional()
      .describe(
        'The connection to re-authenticate: the sign-in also asks for the scopes that its calls lacked. PUT the state to that connection.',
      ),
    ...providerFields,
  })
  // providerChoice checks this in query and body; it is declared here for the OpenAPI document.
  .meta({
    id: 'GetSignInUrlRequest',
    not: {
      required: ['authProviderId', 'authProvider'],
      properties: { authProviderId: {}, authProvider: {} },
    },
  });

export const getSignInUrl = defineRoute(
  {
    operationId: 'getSignInUrl',
    method: 'post',
    path: '/v1/connections/get-sign-in-url',
    tags: ['Connections'],
    summary: 'Start an OAuth sign-in',
    description:
      'Returns the address at which the person signs in, and the state to poll. The address shows a page that names the account, the user, the application ' +
      'and the scopes; its button leads to the vendor. The sign-in is valid for 300 seconds.',
    services: ['signIns'],
    resource: 'sign-in',
    permission: 'connections.write',
    // Calls an MCP server to find its authorization server.
    callsApplication: true,
    body,
    response: signInStart,
    errors: [
      'NOT_FOUND',
      'INVALID_FIELD',
      'INVALID_ENUM_VALUE',
      'INVALID_AUTH_PROVIDER',
      'RATE_LIMIT_EXCEEDED',
    ],
  },
  async ({ ctx, body: sent, services }) => {
    const provider = providerChoice(sent);
    const { signInUrl, state } = await services.signIns.startSignIn(ctx, {
      applicationSlug: sent.applicationSlug,
      authenticationId: sent.authenticationId,
      fieldsJson: membersOf(sent.fields),
      ...(sent.connectionId !== undefined && { connectionId: sent.connectionId }),
      ...(provider !== undefined && { provider }),
    });
    return { signInUrl, state };
  },
);
