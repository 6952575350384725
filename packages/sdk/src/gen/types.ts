// Generated from the OpenAPI document by `npm run generate`; do not edit.

interface components {
  schemas: {
    Account: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do all but account administration. On: permissions go by role. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      budgets: components['schemas']['Budgets'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    AccountExport: {
      /** Format: date-time */
      exportedAt: string;
      account: {
        [key: string]: unknown;
      };
      users: {
        [key: string]: unknown;
      }[];
      apiKeys: {
        [key: string]: unknown;
      }[];
      applications: {
        [key: string]: unknown;
      }[];
      connections: {
        [key: string]: unknown;
      }[];
      executions: {
        [key: string]: unknown;
      }[];
      auditEntries: {
        [key: string]: unknown;
      }[];
      usage: {
        [key: string]: unknown;
      }[];
    } & {
      [key: string]: unknown;
    };
    ApiKey: {
      id: string;
      name: string;
      /** @description Whom the key acts as. */
      userId: string;
      /** @description How the key begins, to recognise it by; null for a key from before that was kept. */
      maskedKey: string | null;
      /** @description Null: it does not expire. */
      expiresAt: string | null;
      /** @description To about a minute. Null: never used. */
      lastUsedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    Application: {
      slug: string;
      name: string;
      description: string;
      categories: string[];
      kind: components['schemas']['Kind'];
      logoUrl: string | null;
      /** @description The account can connect it now. */
      isAvailable: boolean;
      /** @description Its tools may be served on MCP servers. */
      isMcpEnabled: boolean;
      supportsObjectSelection: boolean;
      /** @enum {string} */
      maturity: 'verified' | 'generated';
      toolCount: number;
      triggerTypeCount: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      authenticationMethods: components['schemas']['AuthenticationMethod'][];
    };
    ApplicationSummary: {
      slug: string;
      name: string;
      description: string;
      categories: string[];
      kind: components['schemas']['Kind'];
      logoUrl: string | null;
      /** @description The account can connect it now. */
      isAvailable: boolean;
      /** @description Its tools may be served on MCP servers. */
      isMcpEnabled: boolean;
      supportsObjectSelection: boolean;
      /** @enum {string} */
      maturity: 'verified' | 'generated';
      toolCount: number;
      triggerTypeCount: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Relevance; present with a search only. */
      score?: number;
    };
    AuditEntry: {
      id: string;
      actor: {
        /** @enum {string} */
        kind: 'user' | 'operator' | 'system';
        userId: string | null;
        /** @description As it is now; null where there is no such user any more. */
        userName: string | null;
        credentialType: string | null;
        /** @description The record of the credential, not the credential. */
        credentialId: string | null;
      };
      /** @description The operation, as this document calls it, or what the platform did by itself. */
      action: string;
      /** @description What it was done to. A secret is not shown: `hmac:` and a text that is always the same for it. */
      resource: {
        type: string;
        id: string;
      } | null;
      /**
       * @description `attempted`: recorded before it was done, because it may not be done unrecorded.
       * @enum {string}
       */
      outcome: 'attempted' | 'succeeded' | 'failed';
      requestId: string;
      details: {
        [key: string]: unknown;
      } | null;
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description The same: an entry is never changed.
       */
      updatedAt: string;
    };
    AuditReport: {
      isIntact: boolean;
      /** @description The first batch that is not as it was sealed. */
      brokenBatch: number | null;
      /** @description What is wrong with it, for people. */
      problem: string | null;
      /** @description Batches that were found whole. */
      batchCount: number;
      /** @description Entries in them. */
      entryCount: number;
      /** @description Entries of the last seconds, which are in no batch yet. */
      unchainedCount: number;
    };
    AuthenticationMethod: {
      authenticationId: number;
      authenticationName: string;
      requiresOAuthSignIn: boolean;
      /** @description True for exactly one method of an application. */
      isDefault: boolean;
      fields: components['schemas']['FieldDescriptor'][];
    };
    Budgets: {
      /** @description Calls a second. */
      burstPerSecond: number;
      /** @description Calls an hour. */
      hourly: number;
      /** @description Searches a second. */
      searchPerSecond: number;
      /** @description Searches an hour. */
      searchPerHour: number;
      /** @description Trigger tests a minute. */
      triggerTestPerMinute: number;
      /** @description Calls a second of each inbound hook. */
      hookPerSecond: number;
    };
    CompletedSignIn: {
      /** @constant */
      status: 'completed';
      connectionData: {
        applicationSlug: string;
        authenticationId: number;
        /** @description 0: the connector’s own OAuth client. */
        authProviderId: number;
        suggestedName: string;
        grantedScopes: string[];
      };
      /** @description For each field with discovered values, an object of value to label. Save the value. */
      fieldOptions: {
        [key: string]: unknown;
      };
    };
    Connection: {
      id: number;
      connectionName: string;
      description: string | null;
      applicationSlug: string;
      applicationName: string;
      kind: components['schemas']['Kind'];
      authenticationId: number;
      authenticationName: string;
      /** @description 0: the connector’s own OAuth client; null: none was needed. */
      authProviderId: number | null;
      endUserId: string | null;
      /** @description Tools of the application use it where no connection is named. */
      isDefault: boolean;
      /** @enum {string} */
      status: 'Active' | 'NeedsReauthentication' | 'Blocked';
      licence: components['schemas']['Licence'];
      /** @description Values by field name; secret ones are null. */
      fields: {
        [key: string]: unknown;
      };
      /** @description Names of the secret fields that hold a value. */
      secretFields: string[];
      metadata: {
        [key: string]: unknown;
      };
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ConnectionTestResult: {
      isSuccess: boolean;
      /** @description The vendor’s own text, secrets masked; null on success. */
      errorMessage: string | null;
    };
    CreateAccountRequest: {
      name: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description A budget that is left out stays as it is. */
      budgets?: {
        /** @description Calls a second. */
        burstPerSecond?: number;
        /** @description Calls an hour. */
        hourly?: number;
        /** @description Searches a second. */
        searchPerSecond?: number;
        /** @description Searches an hour. */
        searchPerHour?: number;
        /** @description Trigger tests a minute. */
        triggerTestPerMinute?: number;
        /** @description Calls a second of each inbound hook. */
        hookPerSecond?: number;
      };
      /**
       * Format: email
       * @description Absent: an address at which nobody can be reached, `owner@<the account’s id>.invalid`.
       */
      ownerEmail?: string;
      /** @description Absent: what stands before the @ of the e-mail address. */
      ownerName?: string;
      /**
       * Format: password
       * @description Absent: the owner cannot sign in with a password.
       */
      ownerPassword?: string;
    };
    CreateApiKeyRequest: {
      name: string;
      /** @description Whom the key acts as. Null or absent: the caller. */
      userId?: string | null;
      /** @description In the future. Null or absent: it does not expire. */
      expiresAt?: string | null;
    };
    CreateConnectionQuery: {
      /** @description Omitted: the account’s default provider. 0: the connector’s own OAuth client. Else: that provider. */
      authProviderId?: number;
      /** @description In place of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client. */
      authProvider?: string;
    };
    CreateConnectionRequest: {
      applicationSlug: string;
      connectionName: string;
      description?: string | null;
      /** @description Absent: the application’s default method. */
      authenticationId?: number;
      /**
       * @description Credential values by field name, as the authentication method lists them.
       * @default {}
       */
      fields?: {
        [key: string]: unknown;
      };
      /** @description The state of a completed sign-in; required where the method signs in. */
      oauthState?: string | null;
      /** @description Any JSON object of at most 16 KiB. */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    CreateOAuthClientRequest: {
      name: string;
      /**
       * @description Where people come back to, compared character by character; for authorization_code only.
       * @default []
       */
      redirectUris?: string[];
      /**
       * @description refresh_token needs authorization_code.
       * @default [
       *       "client_credentials"
       *     ]
       */
      grantTypes?: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /**
       * @description What the client may ask for; its tokens can do no more than their user may.
       * @default [
       *       "connections.read",
       *       "tools.read",
       *       "tools.execute",
       *       "triggers.read",
       *       "agents.read",
       *       "mcpServers.read"
       *     ]
       */
      scopes?: (
        | 'authProviders.manage'
        | 'authProviders.create'
        | 'authProviders.use'
        | 'connections.read'
        | 'connections.write'
        | 'tools.read'
        | 'tools.write'
        | 'tools.execute'
        | 'triggers.read'
        | 'triggers.write'
        | 'agents.read'
        | 'agents.write'
        | 'mcpServers.read'
        | 'mcpServers.write'
        | 'administration'
      )[];
      /** @description Whom tokens of client credentials act as. Null or absent: the caller. */
      userId?: string | null;
    };
    CreateUserRequest: {
      /** Format: email */
      email: string;
      /** @description Absent: what stands before the @ of the e-mail address. */
      name?: string;
      /**
       * Format: password
       * @description Absent: the user cannot sign in with a password.
       */
      password?: string;
      /** @default member */
      role?: components['schemas']['Role'];
      /** @default true */
      isActive?: boolean;
    };
    CreatedAccount: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do all but account administration. On: permissions go by role. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      budgets: components['schemas']['Budgets'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Since when it is being erased: no credential of it opens anything. Null: it is not. */
      erasingAt: string | null;
      owner: {
        userId: string;
        email: string;
      };
      /** @description The owner’s first API key; nobody can read it again. */
      apiKey: string;
    };
    CreatedApiKey: {
      id: string;
      name: string;
      /** @description Whom the key acts as. */
      userId: string;
      /** @description How the key begins, to recognise it by; null for a key from before that was kept. */
      maskedKey: string | null;
      /** @description Null: it does not expire. */
      expiresAt: string | null;
      /** @description To about a minute. Null: never used. */
      lastUsedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description The key itself; nobody can read it again. */
      apiKey: string;
    };
    CreatedOAuthClient: {
      clientId: string;
      name: string;
      redirectUris: string[];
      grantTypes: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /** @description What the client may ask for at most. */
      scopes: (
        | 'authProviders.manage'
        | 'authProviders.create'
        | 'authProviders.use'
        | 'connections.read'
        | 'connections.write'
        | 'tools.read'
        | 'tools.write'
        | 'tools.execute'
        | 'triggers.read'
        | 'triggers.write'
        | 'agents.read'
        | 'agents.write'
        | 'mcpServers.read'
        | 'mcpServers.write'
        | 'administration'
      )[];
      /** @description Whom tokens of client credentials act as. */
      userId: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Nobody can read it again. */
      clientSecret: string;
    };
    /**
     * @description The licence that a new connection gets.
     * @enum {string}
     */
    DefaultLicence: 'active' | 'none';
    DeleteConnectionQuery: {
      /**
       * @description Deletes it also where a trigger, toolset or MCP server uses it, and takes it out there.
       * @default false
       */
      force?: boolean;
    };
    ErrorDetail: {
      /** @description Path of the field as sent: `connections[0].connectionId`. */
      field: string;
      /** @description What is wrong with it, for people. */
      issue: string;
    };
    /**
     * @example {
     *       "errorCode": "VALIDATION_ERROR",
     *       "message": "The request is not valid. top: must be at most 100",
     *       "requestId": "0198c9e0-5f0a-7c3b-9d4e-6f708192a3b4",
     *       "timestamp": "2026-01-31T12:00:00.000Z",
     *       "details": [
     *         {
     *           "field": "top",
     *           "issue": "must be at most 100"
     *         }
     *       ]
     *     }
     */
    ErrorResponse: {
      /** @description Machine-readable; branch on this. Treat an unknown code as a failure of its status. */
      errorCode: string;
      /** @description For people; may be reworded. */
      message: string;
      /** @description The x-request-id of this answer. */
      requestId: string;
      /** Format: date-time */
      timestamp: string;
      /** @description Only on field-level validation failures: one entry a field. */
      details?: components['schemas']['ErrorDetail'][];
      /** @description Only on conflicts that offer a choice. */
      candidates?: string[];
    };
    ExecuteToolQuery: {
      connectionId?: number;
      /** Format: uuid */
      toolsetId?: string;
      /** @description Decides where several applications have a tool of that slug. */
      applicationSlug?: string;
      /** @description A customer of your product: their connection is used, never the account’s default. */
      endUserId?: string;
      /**
       * @description Answers what would be sent, secrets masked, and sends nothing.
       * @default false
       */
      dryRun?: boolean;
    };
    ExecuteToolRequest: {
      /**
       * @description The tool’s inputs, by its inputSchema.
       * @default {}
       */
      fields?: {
        [key: string]: unknown;
      };
      /**
       * @description All must hold. Text is literal and case-sensitive; the value of isNull is true or false.
       * @default []
       */
      filters?: {
        field: string;
        /** @enum {string} */
        operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'startsWith' | 'isNull';
        value: unknown;
      }[];
      /** @default [] */
      sorts?: {
        field: string;
        /** @enum {string} */
        direction: 'asc' | 'desc';
      }[];
      top?: number;
      offset?: number;
    };
    Execution: {
      /** @description Unique and growing by time; gaps are possible. */
      historyId: number;
      toolSlug: string;
      applicationSlug: string;
      connectionId: number | null;
      isSuccess: boolean;
      errorMessage: string | null;
      /** @description As they were sent, secrets masked. */
      fields: {
        [key: string]: unknown;
      };
      output: {
        [key: string]: unknown;
      };
      executionInfo: components['schemas']['ExecutionInfo'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ExecutionInfo: {
      /** Format: date-time */
      startedAt: string;
      durationMs: number;
      connectionId: number | null;
      /**
       * @description The rule that chose the connection.
       * @enum {string}
       */
      connectionResolution: 'explicit' | 'toolset' | 'endUser' | 'default' | 'none';
      applicationSlug: string;
      toolSlug: string;
      toolVersion: string;
      /** @description Calls made to the vendor, retries included. */
      attempts: number;
    };
    ExecutionResult: {
      /** @description Branch on this: a failure at the vendor is a 200 too. */
      isSuccess: boolean;
      output: {
        [key: string]: unknown;
      };
      /** @description Null for a dry run, which leaves no history. */
      historyId: number | null;
      executionInfo: components['schemas']['ExecutionInfo'];
      /** @description Present when isSuccess is false; the vendor’s own text, secrets masked. */
      errorMessage?: string;
    };
    FieldDescriptor: {
      name: string;
      label: string;
      description: string;
      /** @enum {string} */
      type: 'string' | 'number' | 'boolean' | 'select' | 'json';
      isRequired: boolean;
      /** @description A field is secret when isPassword or maskInLogs is true. */
      isPassword: boolean;
      /** @description A secret that is not a password. */
      maskInLogs: boolean;
      /** @description Null where there is none. */
      defaultValue: unknown;
      options: {
        value: string;
        label: string;
      }[];
      /** @description The slot of an auth provider that holds this field, if one can. */
      providerSlot: string | null;
    };
    GetSignInUrlRequest: {
      applicationSlug: string;
      authenticationId: number;
      /** @description Omitted: the account’s default provider. 0: the connector’s own OAuth client. Else: that provider. */
      authProviderId?: number;
      /** @description In place of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client. */
      authProvider?: string;
    };
    GetToolQuery: {
      /** @description Decides where several applications have a tool of that slug. */
      applicationSlug?: string;
      /**
       * Format: uuid
       * @description Lets a workflow-backed tool of that toolset resolve by its slug.
       */
      toolsetId?: string;
    };
    GetUsageQuery: {
      /** @description Inclusive: a day or a time. */
      from?: string;
      /** @description Exclusive, likewise. Default: the end of today. */
      to?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    /**
     * @description Regular, Key (every method is an API key), OPA (on-prem) or MCPClient (a third-party MCP server).
     * @enum {string}
     */
    Kind: 'Regular' | 'Key' | 'OPA' | 'MCPClient';
    /** @description A connection without an active licence is Blocked. One whose expiresAt has passed reads as expired. */
    Licence: {
      status: components['schemas']['LicenceStatus'];
      expiresAt: string | null;
    };
    /** @enum {string} */
    LicenceStatus: 'none' | 'active' | 'expired';
    ListAccountsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListAllConnectionsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 25
       */
      top?: number;
    };
    ListApiKeysQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListApplicationsQuery: {
      /**
       * @description Case-insensitive. On-prem agents are listed by /v1/on-prem-agents.
       * @enum {string}
       */
      kind?: 'Regular' | 'Key' | 'MCPClient';
      /** @description true: those that the account can connect now; false: the others. */
      available?: boolean;
      /**
       * @description Search by meaning; empty or blank: no search.
       * @default
       */
      search?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListAuditEntriesQuery: {
      /**
       * Format: date-time
       * @description Inclusive.
       */
      from?: string;
      /**
       * Format: date-time
       * @description Exclusive.
       */
      to?: string;
      /** @description Who did it: the id of a user, `operator` or `system`. */
      actor?: string;
      /** @description What was done, as the entry calls it: `createConnection`. */
      action?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListConnectionsQuery: {
      /**
       * @description Case-insensitive. On-prem agents are listed by /v1/on-prem-agents.
       * @enum {string}
       */
      kind?: 'Regular' | 'Key' | 'MCPClient';
      /** @description Those of one customer of your product. */
      endUserId?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 25
       */
      top?: number;
    };
    ListExecutionsQuery: {
      toolSlug?: string;
      connectionId?: number;
      isSuccess?: boolean;
      /**
       * Format: date-time
       * @description Inclusive.
       */
      from?: string;
      /**
       * Format: date-time
       * @description Exclusive.
       */
      to?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListOAuthClientsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListPlatformAuditEntriesQuery: {
      /**
       * Format: date-time
       * @description Inclusive.
       */
      from?: string;
      /**
       * Format: date-time
       * @description Exclusive.
       */
      to?: string;
      /** @description Who did it: the id of a user, `operator` or `system`. */
      actor?: string;
      /** @description What was done, as the entry calls it: `createConnection`. */
      action?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListToolsQuery: {
      applicationSlug?: string;
      /**
       * @description Search by meaning; empty or blank: no search.
       * @default
       */
      search?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    ListUsersQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Most items of the page.
       * @default 100
       */
      top?: number;
    };
    OAuthClient: {
      clientId: string;
      name: string;
      redirectUris: string[];
      grantTypes: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /** @description What the client may ask for at most. */
      scopes: (
        | 'authProviders.manage'
        | 'authProviders.create'
        | 'authProviders.use'
        | 'connections.read'
        | 'connections.write'
        | 'tools.read'
        | 'tools.write'
        | 'tools.execute'
        | 'triggers.read'
        | 'triggers.write'
        | 'agents.read'
        | 'agents.write'
        | 'mcpServers.read'
        | 'mcpServers.write'
        | 'administration'
      )[];
      /** @description Whom tokens of client credentials act as. */
      userId: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    OperatedAccount: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do all but account administration. On: permissions go by role. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      budgets: components['schemas']['Budgets'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Since when it is being erased: no credential of it opens anything. Null: it is not. */
      erasingAt: string | null;
    };
    /** @enum {string} */
    Permission:
      | 'authProviders.manage'
      | 'authProviders.create'
      | 'authProviders.use'
      | 'connections.read'
      | 'connections.write'
      | 'tools.read'
      | 'tools.write'
      | 'tools.execute'
      | 'triggers.read'
      | 'triggers.write'
      | 'agents.read'
      | 'agents.write'
      | 'mcpServers.read'
      | 'mcpServers.write';
    ReplaceConnectionRequest: {
      connectionName: string;
      description?: string | null;
      /** @description Absent: the credentials stay. Present: they are replaced whole. */
      fields?: {
        [key: string]: unknown;
      };
      /** @description The state of a completed sign-in of the same application and method: re-authenticates. Absent: the sign-in stays. */
      oauthState?: string | null;
      /** @description Any JSON object of at most 16 KiB. */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    /** @enum {string} */
    Role: 'owner' | 'admin' | 'developer' | 'member';
    /** @enum {string} */
    Scope:
      | 'authProviders.manage'
      | 'authProviders.create'
      | 'authProviders.use'
      | 'connections.read'
      | 'connections.write'
      | 'tools.read'
      | 'tools.write'
      | 'tools.execute'
      | 'triggers.read'
      | 'triggers.write'
      | 'agents.read'
      | 'agents.write'
      | 'mcpServers.read'
      | 'mcpServers.write'
      | 'administration';
    SetLicenceRequest: {
      status: components['schemas']['LicenceStatus'];
      /** @description Null or absent: it does not expire. */
      expiresAt?: string | null;
    };
    SignInStart: {
      /** @description Open it in the browser of the person who signs in. */
      signInUrl: string;
      /**
       * Format: uuid
       * @description Poll it, then send it as `oauthState`. It lives 300 seconds and is used once.
       */
      state: string;
    };
    SigningKeyRotation: {
      /** @description The id of the key that comes, as the published keys name it. */
      kid: string;
    };
    Tool: {
      toolSlug: string;
      toolName: string;
      description: string;
      category: string;
      applicationSlug: string;
      applicationName: string;
      version: string;
      isDeprecated: boolean;
      /** @description JSON Schema 2020-12 of the execution’s `fields`. */
      inputSchema: {
        [key: string]: unknown;
      };
      /** @description JSON Schema 2020-12 of the execution’s `output`. */
      outputSchema: {
        [key: string]: unknown;
      };
      supportsFilters: boolean;
      supportsSort: boolean;
      supportsTopOffset: boolean;
      maxFilters: number;
      maxSorts: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ToolListItem: {
      toolSlug: string;
      toolName: string;
      description: string;
      category: string;
      applicationSlug: string;
      applicationName: string;
      version: string;
      isDeprecated: boolean;
      /** @description JSON Schema 2020-12 of the execution’s `fields`. */
      inputSchema: {
        [key: string]: unknown;
      };
      /** @description JSON Schema 2020-12 of the execution’s `output`. */
      outputSchema: {
        [key: string]: unknown;
      };
      supportsFilters: boolean;
      supportsSort: boolean;
      supportsTopOffset: boolean;
      maxFilters: number;
      maxSorts: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Relevance; present with a search only. */
      score?: number;
    };
    UpdateAccountRequest: {
      name?: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description A budget that is left out stays as it is. */
      budgets?: {
        /** @description Calls a second. */
        burstPerSecond?: number;
        /** @description Calls an hour. */
        hourly?: number;
        /** @description Searches a second. */
        searchPerSecond?: number;
        /** @description Searches an hour. */
        searchPerHour?: number;
        /** @description Trigger tests a minute. */
        triggerTestPerMinute?: number;
        /** @description Calls a second of each inbound hook. */
        hookPerSecond?: number;
      };
    };
    UpdateOperatedAccountRequest: {
      name?: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description A budget that is left out stays as it is. */
      budgets?: {
        /** @description Calls a second. */
        burstPerSecond?: number;
        /** @description Calls an hour. */
        hourly?: number;
        /** @description Searches a second. */
        searchPerSecond?: number;
        /** @description Searches an hour. */
        searchPerHour?: number;
        /** @description Trigger tests a minute. */
        triggerTestPerMinute?: number;
        /** @description Calls a second of each inbound hook. */
        hookPerSecond?: number;
      };
    };
    UpdateUserRequest: {
      /** Format: email */
      email?: string;
      name?: string;
      /** Format: password */
      password?: string;
      role?: components['schemas']['Role'];
      isActive?: boolean;
    };
    UsageDay: {
      /**
       * Format: date
       * @description The day, in UTC.
       */
      date: string;
      /** @description Calls of the API that were let in, those that need no budget too. */
      calls: number;
      /** @description Tool executions, as many as the history has. */
      executions: number;
      /** @description Trigger events. Always 0: there are no triggers yet. */
      events: number;
    };
    User: {
      userId: string;
      /** @description In lower case; unique in the account. */
      email: string;
      name: string;
      role: components['schemas']['Role'];
      /** @description Off: every credential of the user is refused with ACCOUNT_USER_INACTIVE. */
      isActive: boolean;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    Whoami: {
      accountId: string;
      accountName: string;
      userId: string;
      userName: string;
      userEmail: string;
      /** @enum {string} */
      credentialType: 'apiKey' | 'bearer';
      /** @description Id of the API key or of the token, not the credential itself. */
      credentialId: string;
      roles: ('owner' | 'admin' | 'developer' | 'member')[];
      /** @description What the role allows; of a bearer token, what its scopes grant of that. */
      permissions: components['schemas']['Permission'][];
      /** @description OAuth scopes of a bearer token; empty for an API key. */
      scopes: components['schemas']['Scope'][];
    };
  };
}
export type Account = components['schemas']['Account'];
export type AccountExport = components['schemas']['AccountExport'];
export type ApiKey = components['schemas']['ApiKey'];
export type Application = components['schemas']['Application'];
export type ApplicationSummary = components['schemas']['ApplicationSummary'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditReport = components['schemas']['AuditReport'];
export type AuthenticationMethod = components['schemas']['AuthenticationMethod'];
export type Budgets = components['schemas']['Budgets'];
export type CompletedSignIn = components['schemas']['CompletedSignIn'];
export type Connection = components['schemas']['Connection'];
export type ConnectionTestResult = components['schemas']['ConnectionTestResult'];
export type CreateAccountRequest = components['schemas']['CreateAccountRequest'];
export type CreateApiKeyRequest = components['schemas']['CreateApiKeyRequest'];
export type CreateConnectionQuery = components['schemas']['CreateConnectionQuery'];
export type CreateConnectionRequest = components['schemas']['CreateConnectionRequest'];
export type CreateOAuthClientRequest = components['schemas']['CreateOAuthClientRequest'];
export type CreateUserRequest = components['schemas']['CreateUserRequest'];
export type CreatedAccount = components['schemas']['CreatedAccount'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type CreatedOAuthClient = components['schemas']['CreatedOAuthClient'];
export type DefaultLicence = components['schemas']['DefaultLicence'];
export type DeleteConnectionQuery = components['schemas']['DeleteConnectionQuery'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type ErrorResponse = components['schemas']['ErrorResponse'];
export type ExecuteToolQuery = components['schemas']['ExecuteToolQuery'];
export type ExecuteToolRequest = components['schemas']['ExecuteToolRequest'];
export type Execution = components['schemas']['Execution'];
export type ExecutionInfo = components['schemas']['ExecutionInfo'];
export type ExecutionResult = components['schemas']['ExecutionResult'];
export type FieldDescriptor = components['schemas']['FieldDescriptor'];
export type GetSignInUrlRequest = components['schemas']['GetSignInUrlRequest'];
export type GetToolQuery = components['schemas']['GetToolQuery'];
export type GetUsageQuery = components['schemas']['GetUsageQuery'];
export type Kind = components['schemas']['Kind'];
export type Licence = components['schemas']['Licence'];
export type LicenceStatus = components['schemas']['LicenceStatus'];
export type ListAccountsQuery = components['schemas']['ListAccountsQuery'];
export type ListAllConnectionsQuery = components['schemas']['ListAllConnectionsQuery'];
export type ListApiKeysQuery = components['schemas']['ListApiKeysQuery'];
export type ListApplicationsQuery = components['schemas']['ListApplicationsQuery'];
export type ListAuditEntriesQuery = components['schemas']['ListAuditEntriesQuery'];
export type ListConnectionsQuery = components['schemas']['ListConnectionsQuery'];
export type ListExecutionsQuery = components['schemas']['ListExecutionsQuery'];
export type ListOAuthClientsQuery = components['schemas']['ListOAuthClientsQuery'];
export type ListPlatformAuditEntriesQuery = components['schemas']['ListPlatformAuditEntriesQuery'];
export type ListToolsQuery = components['schemas']['ListToolsQuery'];
export type ListUsersQuery = components['schemas']['ListUsersQuery'];
export type OAuthClient = components['schemas']['OAuthClient'];
export type OperatedAccount = components['schemas']['OperatedAccount'];
export type Permission = components['schemas']['Permission'];
export type ReplaceConnectionRequest = components['schemas']['ReplaceConnectionRequest'];
export type Role = components['schemas']['Role'];
export type Scope = components['schemas']['Scope'];
export type SetLicenceRequest = components['schemas']['SetLicenceRequest'];
export type SignInStart = components['schemas']['SignInStart'];
export type SigningKeyRotation = components['schemas']['SigningKeyRotation'];
export type Tool = components['schemas']['Tool'];
export type ToolListItem = components['schemas']['ToolListItem'];
export type UpdateAccountRequest = components['schemas']['UpdateAccountRequest'];
export type UpdateOperatedAccountRequest = components['schemas']['UpdateOperatedAccountRequest'];
export type UpdateUserRequest = components['schemas']['UpdateUserRequest'];
export type UsageDay = components['schemas']['UsageDay'];
export type User = components['schemas']['User'];
export type Whoami = components['schemas']['Whoami'];

/** The error codes that operations of this version name. */
export type KnownErrorCode =
  | 'ACCOUNT_USER_INACTIVE'
  | 'AMBIGUOUS_TOOL'
  | 'CONFLICT'
  | 'CONNECTION_BLOCKED'
  | 'FORBIDDEN'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'INTERNAL'
  | 'INVALID_AUTH_PROVIDER'
  | 'INVALID_ENUM_VALUE'
  | 'INVALID_FIELD'
  | 'MALFORMED_BODY'
  | 'NOT_FOUND'
  | 'NO_DEFAULT_CONNECTION'
  | 'OAUTH_SIGN_IN_FAILED'
  | 'OAUTH_STATE_EXPIRED'
  | 'OAUTH_STATE_REQUIRED'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'TIMEOUT'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'WRONG_APPLICATION';
