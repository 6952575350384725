// Generated from the OpenAPI document by `npm run generate`; do not edit.

interface components {
  schemas: {
    AbortCanaryQuery: {
      /**
       * @description Who aborts, for the record.
       * @default operator
       * @enum {string}
       */
      by?: 'operator' | 'analysis';
    };
    Account: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do everything except account administration. On: the role decides the permissions. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser: number;
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
      /** @description The user that the key acts as. */
      userId: string;
      /** @description The beginning of the key, to recognise it by; null for a key that was created before this was stored. */
      maskedKey: string | null;
      /** @description The permissions that the key keeps of its user’s; null: all of them. */
      scopes: components['schemas']['Permission'][] | null;
      /** @description The toolset that the key is confined to; null: none. */
      toolsetId: string | null;
      /** @description Null: it does not expire. */
      expiresAt: string | null;
      /** @description Accurate to about a minute. Null: never used. */
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
      /** @description Whether the account can connect it now. */
      isAvailable: boolean;
      /** @description Whether its tools may be served on MCP servers. */
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
      /** @description Whether the account can connect it now. */
      isAvailable: boolean;
      /** @description Whether its tools may be served on MCP servers. */
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
      /** @description Relevance; present only with a search. */
      score?: number;
    };
    Approval: {
      /** Format: uuid */
      approvalId: string;
      /** @enum {string} */
      status: 'pending' | 'approved' | 'rejected' | 'used' | 'expired';
      /** Format: uuid */
      toolsetId: string;
      applicationSlug: string;
      toolSlug: string;
      /** @description Null: the tool needs none. */
      connectionId: number | null;
      /** @description The end user whose connection the call uses, or for whom the workflow runs; null: none. */
      endUserId: string | null;
      /** @description The inputs as the call will run; those that the schema marks as secret are masked. */
      fields: {
        [key: string]: unknown;
      };
      /** @description Filters, sorts, top and offset of the call, those that it has. */
      query: {
        [key: string]: unknown;
      };
      /** @description The files of the call, whose content it will send: an address was fetched when the approval was requested. */
      files: components['schemas']['ApprovedFile'][];
      /** @description The userId of the caller. */
      requestedBy: string;
      /** @description The userId of who approved or rejected it. */
      decidedBy: string | null;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ApprovedFile: {
      /** @description The name of the input. */
      field: string;
      name: string;
      contentType: string;
      sizeBytes: number;
      /** @description Of the content, in hexadecimal digits. */
      sha256: string;
      /** @description The content; null: it is no UTF-8 text, is larger than 64 KiB, or has, with the texts before it, more than 1 MiB of JSON. */
      text: string | null;
    };
    AuditEntry: {
      id: string;
      actor: {
        /** @enum {string} */
        kind: 'user' | 'operator' | 'system';
        userId: string | null;
        /** @description The current name; null if the user no longer exists. */
        userName: string | null;
        credentialType: string | null;
        /** @description The id of the credential’s record, not the credential. */
        credentialId: string | null;
      };
      /** @description The operation id in this document, or the name of an action of the platform itself. */
      action: string;
      /** @description The record that the action affected. A secret is shown as `hmac:` and a text that is always the same for that secret. */
      resource: {
        type: string;
        id: string;
      } | null;
      /**
       * @description `attempted`: recorded before the action, because the action must not happen unrecorded.
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
       * @description The same as createdAt: an entry is never changed.
       */
      updatedAt: string;
    };
    AuditReport: {
      /** @description Whether the whole chain holds under the configured keys. False also while a key is missing: then the rest is not known. */
      isIntact: boolean;
      /** @description The first batch that differs from what was sealed. */
      brokenBatch: number | null;
      /** @description The entry from which on the log does not hold; null: no difference was found. */
      brokenFrom: {
        batch: number;
        /** @description Zero-based place among the entries of the batch. */
        position: number;
        /** @description The entry that was changed, moved, inserted or removed. If nothing tells it any more: the first that follows, or null if there is none in the batch. */
        entryId: string | null;
        /** @description The last entry before it: the log holds up to and including that one. Null: there is none. */
        afterEntryId: string | null;
      } | null;
      /** @description What is wrong with it, as readable text. */
      problem: string | null;
      /** @description The key of the first batch that could not be verified, because AUDIT_KEYS does not have it. The log holds up to there. */
      missingKeyId: string | null;
      /** @description Batches that were found intact. */
      batchCount: number;
      /** @description Entries in those batches. */
      entryCount: number;
      /** @description Entries of those that were sealed before the chain had keys. For these, nothing shows a change by somebody who writes to the database and removes all that follows. */
      keylessEntryCount: number;
      /** @description Entries of the last few seconds, which are not yet in a batch. */
      unchainedCount: number;
    };
    AuthProvider: {
      id: number;
      name: string;
      applicationSlug: string;
      authenticationId: number;
      /** @description It is used where no auth provider is named. */
      isDefault: boolean;
      isEnabled: boolean;
      values: components['schemas']['AuthProviderValue'][];
      /** @description Null: the scopes of the method. */
      scopes: string[] | null;
      /** @description What the vendor said when it last refused the client; null since it was accepted or changed. */
      lastError: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    AuthProviderMethod: {
      authenticationId: number;
      authenticationName: string;
      slots: components['schemas']['AuthProviderSlot'][];
    };
    AuthProviderSlot: {
      /** @description Key1 to Key10, ApiUser, ApiPassword or BaseUrl. */
      slot: string;
      label: string;
      isSecret: boolean;
      isRequired: boolean;
    };
    AuthProviderSource: {
      applicationSlug: string;
      applicationName: string;
      methods: components['schemas']['AuthProviderMethod'][];
    };
    AuthProviderValue: {
      /** @description Key1 to Key10, ApiUser, ApiPassword or BaseUrl. */
      slot: string;
      label: string;
      isSecret: boolean;
      hasValue: boolean;
      /** @description Null for a secret, and where there is no value. */
      value: string | null;
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
      /** @description Calls per second. */
      burstPerSecond: number;
      /** @description Calls per hour. */
      hourly: number;
      /** @description Searches per second. */
      searchPerSecond: number;
      /** @description Searches per hour. */
      searchPerHour: number;
      /** @description Trigger tests per minute. */
      triggerTestPerMinute: number;
      /** @description Calls per second to each inbound hook. */
      hookPerSecond: number;
    };
    Canary: {
      service: string;
      /**
       * @description `route`: the weights of a route of the Gateway API decide.
       * @enum {string}
       */
      mode: 'gateway' | 'route';
      /** @description Percentage of the accounts whose calls go to the canary. */
      weight: number;
      /** @description Whether everything goes to stable until a weight is set. */
      isAborted: boolean;
      /** @description Tag of the canary’s image. */
      image: string | null;
      /** @description The operator’s values. */
      rule: {
        weight: number;
        /** @description Accounts whose calls always go to the canary. */
        accounts: string[];
        /** @description Callers who may send `x-canary-<service>`: ids of keys, or `operator`. */
        headers: string[];
      };
      /** @description The change to these values that applies; null: they apply themselves. */
      change: {
        /** @enum {string} */
        by: 'operator' | 'analysis' | 'route';
        /** Format: date-time */
        at: string;
      } | null;
      /** @description All processes that have answered. */
      processes: components['schemas']['CanaryProcess'][];
    };
    CanaryProcess: {
      service: string;
      /** @description Host and id of the process. */
      instance: string;
      /** @enum {string} */
      track: 'stable' | 'canary';
      /** @description The percentage that it obeys; null: it knows no canary of the service. */
      weight: number | null;
      /** @description Number of addresses of the canary that it knows. */
      canaryAddresses: number | null;
    };
    ChangedCanary: {
      service: string;
      /**
       * @description `route`: the weights of a route of the Gateway API decide.
       * @enum {string}
       */
      mode: 'gateway' | 'route';
      /** @description Percentage of the accounts whose calls go to the canary. */
      weight: number;
      /** @description Whether everything goes to stable until a weight is set. */
      isAborted: boolean;
      /** @description Tag of the canary’s image. */
      image: string | null;
      /** @description The operator’s values. */
      rule: {
        weight: number;
        /** @description Accounts whose calls always go to the canary. */
        accounts: string[];
        /** @description Callers who may send `x-canary-<service>`: ids of keys, or `operator`. */
        headers: string[];
      };
      /** @description The change to these values that applies; null: they apply themselves. */
      change: {
        /** @enum {string} */
        by: 'operator' | 'analysis' | 'route';
        /** Format: date-time */
        at: string;
      } | null;
      /** @description All processes that have answered. */
      processes: components['schemas']['CanaryProcess'][];
      /** @description Processes that did not obey the change within half a minute. Empty: all that have answered do. */
      laggingProcesses: components['schemas']['CanaryProcess'][];
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
      /** @description For each field with discovered values, an object that maps each value to its label. Store the value. */
      fieldOptions: {
        [key: string]: unknown;
      };
    };
    ConnectSession: {
      sessionId: string;
      endUserId: string;
      /** @description Empty: every application that the account can connect and end users may. */
      applicationSlugs: string[];
      /** @description The connection that the session renews. */
      connectionId: number | null;
      redirectUrl: string | null;
      allowedOrigins: string[];
      locale: string | null;
      theme: components['schemas']['ConnectTheme'];
      metadata: {
        [key: string]: unknown;
      };
      /**
       * @description completed: at least one connection was made or renewed. cancelled: ended before that.
       * @enum {string}
       */
      status: 'open' | 'completed' | 'cancelled' | 'expired';
      /** @description What was made or renewed in the session, in that order. */
      connections: components['schemas']['SessionConnection'][];
      /** @description Why the last attempt to connect failed; null since one succeeded. */
      lastError: string | null;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ConnectTheme: {
      /**
       * @description auto: as the browser prefers.
       * @enum {string}
       */
      mode: 'auto' | 'light' | 'dark';
      primaryColor: string | null;
      logoUrl: string | null;
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
      /** @description 0: the connector’s own OAuth client; null: no auth provider is used. */
      authProviderId: number | null;
      endUserId: string | null;
      /** @description Tools of the application use it if the call names no connection. */
      isDefault: boolean;
      /** @enum {string} */
      status: 'Active' | 'NeedsReauthentication' | 'Blocked';
      /** @description Why the status is not Active, for people. */
      statusReason: string | null;
      /**
       * Format: date-time
       * @description When the connection got its status.
       */
      statusChangedAt: string;
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
      /** @description The scopes that the vendor granted; null if the method has none, or they are not known. */
      grantedScopes: string[] | null;
      /** @description When a tool or a test last used it, at most a minute late; null before the first use. */
      lastUsedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ConnectionTestResult: {
      isSuccess: boolean;
      /** @description The vendor’s own text with secrets masked; null on success. */
      errorMessage: string | null;
    };
    CreateAccountRequest: {
      name: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser?: number;
      /** @description A budget that is left out keeps its value. */
      budgets?: {
        /** @description Calls per second. */
        burstPerSecond?: number;
        /** @description Calls per hour. */
        hourly?: number;
        /** @description Searches per second. */
        searchPerSecond?: number;
        /** @description Searches per hour. */
        searchPerHour?: number;
        /** @description Trigger tests per minute. */
        triggerTestPerMinute?: number;
        /** @description Calls per second to each inbound hook. */
        hookPerSecond?: number;
      };
      /**
       * Format: email
       * @description Absent: `owner@<account id>.invalid`, an address that cannot receive mail.
       */
      ownerEmail?: string;
      /** @description Absent: the part of the e-mail address before the @. */
      ownerName?: string;
      /**
       * Format: password
       * @description Absent: the owner cannot sign in with a password.
       */
      ownerPassword?: string;
    };
    CreateApiKeyRequest: {
      name: string;
      /** @description The user that the key acts as. Null or absent: the caller. */
      userId?: string | null;
      /** @description The permissions that the key keeps of its user’s; one that the user lacks gives nothing. Null or absent: all of them. */
      scopes?: components['schemas']['Permission'][] | null;
      /** @description Every execution with the key runs as with this toolset in the query, and the key does nothing else but read tools, applications, the toolset, its own executions and its own files. It ends with the toolset. Null or absent: none. */
      toolsetId?: string | null;
      /** @description In the future. Null or absent: it does not expire. */
      expiresAt?: string | null;
    };
    CreateAuthProviderRequest: {
      name: string;
      applicationSlug: string;
      authenticationId: number;
      /**
       * @description True: the former default of the method is one no longer.
       * @default false
       */
      isDefault?: boolean;
      /** @default true */
      isEnabled?: boolean;
      /** @description Values by slot. GET /v1/auth-providers/sources lists the slots of each method. */
      values?: {
        [key: string]: string;
      };
      /**
       * @description OAuth scopes to ask for. Null: the scopes of the method.
       * @default null
       */
      scopes?: string[] | null;
    };
    CreateConnectSessionRequest: {
      /** @description Your id of your customer. */
      endUserId: string;
      /** @description The only applications that the session offers. Absent or empty: every one that can be connected and is of use only then. */
      applicationSlugs?: string[] | null;
      /** @description A connection of this end user to renew; the session offers nothing else, and its id stays. */
      connectionId?: number | null;
      /** @description Where the hosted page leads in the end; https, or http on a loopback host. */
      redirectUrl?: string | null;
      /** @description The origins whose scripts may read GET /connect/status and get messages of the hosted page. Absent or empty: that of redirectUrl. */
      allowedOrigins?: string[] | null;
      /** @description A language tag such as en or fr. Absent: the browser’s. */
      locale?: string | null;
      theme?: {
        mode?: ('auto' | 'light' | 'dark') | null;
        /** @description A colour such as #1a73e8. */
        primaryColor?: string | null;
        /** @description https, or http on a loopback host. */
        logoUrl?: string | null;
      } | null;
      /** @description Any JSON object of at most 16 KiB; copied to the connections that are made. */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /** @default 30 */
      expiresInMinutes?: number;
    };
    CreateConnectionQuery: {
      /** @description Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id. */
      authProviderId?: number;
      /** @description Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client. */
      authProvider?: string;
      /**
       * @description Asks the vendor first whether the credential works. If it does not, the request is refused with the vendor’s words, and nothing is stored. A sign-in has just been granted, and is not asked about.
       * @default false
       */
      test?: boolean;
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
      /** @description The state of a completed sign-in; required if the method uses OAuth sign-in. */
      oauthState?: string | null;
      /** @description Any JSON object of at most 16 KiB. */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    CreateDestinationRequest: {
      /** @description Default: the host of the URL. */
      name?: string;
      /**
       * Format: uri
       * @description http or https, without user name, password and fragment.
       */
      url: string;
      /**
       * @description Headers that each request has in addition, at most 20. Names with the prefixes `fairlead-`, `webhook-` and `proxy-`, and those that HTTP itself uses, are reserved.
       * @default {}
       */
      headers?: {
        [key: string]: string;
      };
      /** @default true */
      isEnabled?: boolean;
      /** @description As many events in a row that are dead-lettered disable the destination. */
      maxConsecutiveFailures?: number;
      /** @description Another spelling of `maxConsecutiveFailures`. */
      max_consecutive_failures?: number;
    };
    CreateMcpServerRequest: {
      name: string;
      description?: string | null;
      /**
       * @description Whether clients without a credential may call. It cannot be changed later.
       * @default false
       */
      isAnonymousAllowed?: boolean;
      connections?: components['schemas']['McpServerConnectionRequest'][];
      workflows?: components['schemas']['McpServerWorkflowRequest'][];
      /**
       * @description Every call runs as with this toolset: tools outside of it are not listed, and its policy holds. Null: none.
       * @default null
       */
      toolsetId?: string | null;
      /**
       * @description Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit.
       * @default null
       */
      contextBudget?: number | null;
      /**
       * @description Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused.
       * @default false
       */
      confirmDestructive?: boolean;
      /**
       * @description Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change.
       * @default false
       */
      holdChangedTools?: boolean;
      /**
       * @description The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
       * @default portable
       * @enum {string}
       */
      schemas?: 'portable' | 'original';
    };
    CreateOAuthClientRequest: {
      name: string;
      /**
       * @description Where the browser returns to, compared character by character; only for authorization_code.
       * @default []
       */
      redirectUris?: string[];
      /**
       * @description refresh_token requires authorization_code.
       * @default [
       *       "client_credentials"
       *     ]
       */
      grantTypes?: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /**
       * @description The scopes that the client may request; its tokens can do no more than their user may.
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
      /** @description The user that client credentials tokens act as. Null or absent: the caller. */
      userId?: string | null;
    };
    CreateOnPremAgentRequest: {
      /** @description A slug, or the first characters of one, such as onprem-http. */
      applicationSlug: string;
      name: string;
      settings?: components['schemas']['OnPremAgentSettingsChange'] | null;
    };
    CreateToolsetRequest: {
      name: string;
      description?: string | null;
      connections?: {
        connectionId: number;
      }[];
      /**
       * @description The permitted tools, as their slugs named them when the list was saved. Null: every tool of the connections’ applications.
       * @default null
       */
      tools?:
        | {
            applicationSlug: string;
            toolSlug: string;
          }[]
        | null;
      /** @description The workflows that may be run; they need no place in `tools`. */
      workflows?: {
        workflowToken: string;
      }[];
      /** @description The demands of the toolset on calls that name it, at most 64 KiB. Null: none. */
      policy?: {
        /**
         * @description Only tools that Fairlead’s own catalogue calls read-only may run. An MCP server’s own statements about its tools do not count.
         * @default false
         */
        readOnly?: boolean;
        /** @description By tool slug: inputs that override the caller’s. A slug means the tools that it named when the policy was saved; an input that none of them has is refused. Whoever reads the toolset sees them, so they are no place for secrets. */
        fixedFields?: {
          [key: string]: Record<string, never>;
        };
        /** @description Calls that may run per UTC hour. Null or absent: any number. */
        callsPerHour?: number | null;
        /**
         * @description The slugs of the tools whose calls have to be approved: those that they named when the policy was saved.
         * @default []
         */
        requireApproval?: string[];
        /**
         * @description Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.
         * @default false
         */
        approvedByOther?: boolean;
      } | null;
    };
    CreateTriggerRequest: {
      name: string;
      /** @description See GET /v1/triggers/types. */
      triggerTypeSlug: string;
      /** @description A connection of the type’s application. Types that need none get one from the server. */
      connectionId?: number | null;
      /**
       * @description Matches the type’s `configSchema`.
       * @default {}
       */
      configuration?: {
        [key: string]: unknown;
      };
      /**
       * @description JSONata over the payload: only a firing for which it is true becomes an event. Null: every one.
       * @default null
       */
      filter?: string | null;
      /**
       * @description Where events go; duplicates fold. A test goes to the first one.
       * @default []
       */
      destinationIds?: string[];
      /** @default true */
      isEnabled?: boolean;
    };
    CreateUserRequest: {
      /** Format: email */
      email: string;
      /** @description Absent: the part of the e-mail address before the @. */
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
    CreateWorkflowRequest: {
      name: string;
      /** @description Unique in the account, and not the slug of a tool. */
      slug: string;
      description?: string | null;
      /**
       * @description JSON Schema 2020-12 of the inputs, at most 64 KiB. Only the schema of an input itself may have format: file, not one of a part of it.
       * @default {
       *       "type": "object"
       *     }
       */
      inputSchema?: {
        [key: string]: unknown;
      };
      /** @description Run in order. Expressions read `input`, `steps.<id>.{isSuccess,output,errorMessage}` and, inside forEach, `item`. */
      steps: {
        /** @description Unique in the workflow: letters, digits, hyphens and underscores. */
        id: string;
        /** @description A tool of the catalogue; a workflow cannot run another one. */
        toolSlug: string;
        applicationSlug?: string;
        /** @description Otherwise the toolset’s connection is used. */
        connectionId?: number;
        /**
         * @description The tool’s inputs. Strings that begin with `=` are JSONata.
         * @default {}
         */
        fields?: {
          [key: string]: unknown;
        };
        /** @description JSONata after `=`, without `item`. Unless it is true, the step is skipped, and absent from `steps`. */
        when?: string;
        /** @description JSONata after `=`: the items to call the tool for, at most 1000, one after the other. */
        forEach?: string;
        /**
         * @description What happens when the step fails.
         * @default stop
         * @enum {string}
         */
        onError?: 'stop' | 'continue' | 'retry';
      }[];
      /**
       * @description Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by their ids. A value that is no object is put in the member `value`.
       * @default null
       */
      output?: unknown;
    };
    CreatedAccount: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do everything except account administration. On: the role decides the permissions. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser: number;
      budgets: components['schemas']['Budgets'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description When its erasure began: since then none of its credentials is accepted. Null: it is not being erased. */
      erasingAt: string | null;
      owner: {
        userId: string;
        email: string;
      };
      /** @description The owner’s first API key; it cannot be read again. */
      apiKey: string;
    };
    CreatedApiKey: {
      id: string;
      name: string;
      /** @description The user that the key acts as. */
      userId: string;
      /** @description The beginning of the key, to recognise it by; null for a key that was created before this was stored. */
      maskedKey: string | null;
      /** @description The permissions that the key keeps of its user’s; null: all of them. */
      scopes: components['schemas']['Permission'][] | null;
      /** @description The toolset that the key is confined to; null: none. */
      toolsetId: string | null;
      /** @description Null: it does not expire. */
      expiresAt: string | null;
      /** @description Accurate to about a minute. Null: never used. */
      lastUsedAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description The key itself; it cannot be read again. */
      apiKey: string;
    };
    CreatedConnectSession: {
      sessionId: string;
      endUserId: string;
      /** @description Empty: every application that the account can connect and end users may. */
      applicationSlugs: string[];
      /** @description The connection that the session renews. */
      connectionId: number | null;
      redirectUrl: string | null;
      allowedOrigins: string[];
      locale: string | null;
      theme: components['schemas']['ConnectTheme'];
      metadata: {
        [key: string]: unknown;
      };
      /**
       * @description completed: at least one connection was made or renewed. cancelled: ended before that.
       * @enum {string}
       */
      status: 'open' | 'completed' | 'cancelled' | 'expired';
      /** @description What was made or renewed in the session, in that order. */
      connections: components['schemas']['SessionConnection'][];
      /** @description Why the last attempt to connect failed; null since one succeeded. */
      lastError: string | null;
      /** Format: date-time */
      expiresAt: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description The bearer token of GET /connect/status for this session. */
      token: string;
      /** @description The hosted page, for the end user’s browser. */
      connectUrl: string;
    };
    CreatedOAuthClient: {
      clientId: string;
      name: string;
      redirectUris: string[];
      grantTypes: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /** @description The scopes that the client may request. */
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
      /** @description The user that client credentials tokens act as. */
      userId: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description It cannot be read again. */
      clientSecret: string;
    };
    CreatedOnPremAgent: {
      id: number;
      name: string;
      applicationSlug: string;
      /**
       * @description WaitingForConnection: it has never connected. Offline: it has said goodbye, has been silent for three poll periods, or its token was replaced.
       * @enum {string}
       */
      status: 'WaitingForConnection' | 'Online' | 'Offline';
      settings: components['schemas']['OnPremAgentSettings'];
      /** @description Null: it has never connected. */
      agentVersion: string | null;
      /** @description Such as linux-x64. Null: it has never connected. */
      platform: string | null;
      /** @description Names and types of the credentials in the agent’s own configuration, which tools name as `profile`. Their values stay there. */
      profiles: components['schemas']['OnPremAgentProfile'][];
      /** @description Null: it has never connected. */
      lastSeenAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /** @description The credential with which the agent connects. Treat it as a secret. */
      token: string;
    };
    /**
     * @description The licence of new connections.
     * @enum {string}
     */
    DefaultLicence: 'active' | 'none';
    DeleteConnectionQuery: {
      /**
       * @description Deletes it even if a trigger, toolset or MCP server uses it: triggers are disabled, and the others lose it.
       * @default false
       */
      force?: boolean;
    };
    DeleteOnPremAgentQuery: {
      /**
       * @description Deletes it even if a trigger, toolset or MCP server uses it: triggers are disabled, and the others lose it.
       * @default false
       */
      force?: boolean;
    };
    DeleteWorkflowQuery: {
      /**
       * @description Deletes it even if a toolset or an MCP server holds it, and removes it there.
       * @default false
       */
      force?: boolean;
    };
    DeliveryAttempt: {
      /** @description From 1; each destination has its own numbers. */
      attempt: number;
      /**
       * @description `failed`: another attempt followed; `dead_lettered`: none follows by itself.
       * @enum {string}
       */
      state: 'pending' | 'delivered' | 'failed' | 'dead_lettered';
      /** @description The id of the destination. */
      destination: string;
      /** @description Null without a response. */
      status_code: number | null;
      /** @description A short code, such as `timeout`, `connection_refused` or `http_404`; null if it was delivered. */
      error: string | null;
      /** @description Null while it is pending. */
      duration_ms: number | null;
      /** @description When a pending attempt is due; null while its destination is disabled, and once it was made. */
      next_attempt_at: string | null;
      /**
       * Format: date-time
       * @description When it was queued.
       */
      created_at: string;
    };
    Destination: {
      id: string;
      name: string;
      url: string;
      /** @description The names of the headers that each request has in addition; values are not returned. */
      headers: {
        [key: string]: null;
      };
      isEnabled: boolean;
      /** @description Null while it is enabled. */
      disabledReason: ('consecutive_failures' | 'owner') | null;
      /** @description Distinct events in a row that were dead-lettered. */
      consecutiveFailures: number;
      /** @description As many of them disable it. */
      maxConsecutiveFailures: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
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
      /** @description Only on conflicts that offer a choice, and the nearest slugs where a slug is not known. */
      candidates?: string[];
      /** @description Only with APPROVAL_REQUIRED: the approval that the call waits for. */
      approvalId?: string;
    };
    Event: {
      /** @description `te_…`; sorts by the time of the capture. */
      id: string;
      /** @description The slug of the trigger type. */
      type: string;
      trigger_id: string;
      /** Format: date-time */
      occurred_at: string;
      /** @description Described by the trigger type’s `payloadSchema`; a string if it was truncated. */
      payload: unknown;
      /** @description Whether `payload` is the first 256 KiB of the JSON text of a larger payload, as a string. */
      payload_truncated: boolean;
      /** @description `sha256:` and the hex digest of the whole payload’s JSON text as it was captured. */
      payload_hash: string;
      /**
       * @description Over all destinations: `pending` if an attempt is due at any of them, else `dead_lettered` if it failed for good at any, else `held` if it was older than 24 hours when a destination was enabled again, else `delivered`; `none` without a destination.
       * @enum {string}
       */
      delivery: 'pending' | 'dead_lettered' | 'held' | 'delivered' | 'none';
      /**
       * Format: date-time
       * @description When it was captured.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When its latest attempt was queued, or it was captured.
       */
      updated_at: string;
    };
    EventBody: {
      /** @description `te_…`; sorts by the time of the capture. */
      id: string;
      /** @description The slug of the trigger type. */
      type: string;
      trigger_id: string;
      /** Format: date-time */
      occurred_at: string;
      /** @description Described by the trigger type’s `payloadSchema`; a string if it was truncated. */
      payload: unknown;
      /** @description Whether `payload` is the first 256 KiB of the JSON text of a larger payload, as a string. */
      payload_truncated: boolean;
      /** @description `sha256:` and the hex digest of the whole payload’s JSON text as it was captured. */
      payload_hash: string;
    };
    EventDetail: {
      event: components['schemas']['Event'];
      attempts: components['schemas']['DeliveryAttempt'][];
    };
    ExecuteToolQuery: {
      connectionId?: number;
      /** Format: uuid */
      toolsetId?: string;
      /** @description Required if several applications have a tool with this slug. */
      applicationSlug?: string;
      /** @description A customer of your product: the customer’s connection is used, never the account’s default. */
      endUserId?: string;
      /**
       * @description The dialect in which a model made `fields`: that of the schema which it was given.
       * @enum {string}
       */
      schemaProfile?: 'openai-strict' | 'anthropic' | 'gemini';
      /**
       * Format: uuid
       * @description The approval of this call, where the policy of its toolset demands one. It is used once. A file input by `url` is what was fetched when the approval was requested; if the account has no room to keep that, the request is 409 CONFLICT.
       */
      approvalId?: string;
      /**
       * @description Returns what would be sent, with secrets masked, and sends nothing.
       * @default false
       */
      dryRun?: boolean;
    };
    ExecuteToolRequest: {
      /**
       * @description The tool’s inputs, according to its inputSchema.
       * @default {}
       */
      fields?: {
        [key: string]: unknown;
      };
      /**
       * @description All filters must match. Text is literal and case-sensitive; the value of isNull is true or false.
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
      /**
       * @description Paths of the output to return, such as `items.name`: names of members separated by dots, an array standing for each of its items. Members that the output does not have are left out. Empty: all of it. The history keeps all of it.
       * @default []
       */
      outputFields?: string[];
    };
    Execution: {
      /** @description Unique and increasing over time; gaps are possible. */
      historyId: number;
      toolSlug: string;
      applicationSlug: string;
      connectionId: number | null;
      isSuccess: boolean;
      errorMessage: string | null;
      /** @description As they were sent, with secrets masked. */
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
      /** @description Calls made to the vendor, including retries. */
      attempts: number;
      /** @description The user who called; null for a client of an MCP server that has no credential. */
      userId: string | null;
      /**
       * @description How the call came in; `workflow` is a step of a workflow, whose run has a row of its own.
       * @enum {string}
       */
      source: 'rest' | 'mcp' | 'workflow';
      /** @description The MCP server that the call, or the run of its workflow, came through, as it was named then. */
      mcpServerName: string | null;
    };
    ExecutionResult: {
      /** @description Branch on this: a failure at the vendor is also a 200. */
      isSuccess: boolean;
      /** @description With secrets masked as in the history: those of the connection, and what the tool’s schemas flag (`writeOnly`, `format: password`). */
      output: {
        [key: string]: unknown;
      };
      /** @description Null for a dry run, which is not recorded in the history. */
      historyId: number | null;
      executionInfo: components['schemas']['ExecutionInfo'];
      /** @description Present when isSuccess is false; the vendor’s own text with secrets masked. */
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
      /** @description True for a secret that is not a password. */
      maskInLogs: boolean;
      /** @description Null if there is none. */
      defaultValue: unknown;
      options: {
        value: string;
        label: string;
      }[];
      /** @description The auth provider slot that holds this field; null if none does. */
      providerSlot: string | null;
      /** @description Whether it is sent in `fields` of get-sign-in-url, because the vendor’s address needs it. */
      atSignIn: boolean;
      /** @description A regular expression that the whole of a text value matches; null: any text. */
      pattern: string | null;
    };
    GetLatestAgentReleaseQuery: {
      /**
       * @default linux-x64
       * @enum {string}
       */
      platform?: 'linux-x64' | 'linux-arm64';
    };
    GetRedirectUriQuery: {
      applicationSlug: string;
    };
    GetSignInUrlRequest: {
      applicationSlug: string;
      authenticationId: number;
      /**
       * @description Values of the method’s fields with `atSignIn`, which the vendor’s address needs; saved with the connection.
       * @default {}
       */
      fields?: {
        [key: string]: unknown;
      };
      /** @description The connection to re-authenticate: the sign-in also asks for the scopes that its calls lacked. PUT the state to that connection. */
      connectionId?: number;
      /** @description Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id. */
      authProviderId?: number;
      /** @description Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client. */
      authProvider?: string;
    };
    GetToolQuery: {
      /** @description Required if several applications have a tool with this slug. */
      applicationSlug?: string;
      /**
       * Format: uuid
       * @description Resolves a workflow-backed tool of this toolset by its slug.
       */
      toolsetId?: string;
      /**
       * @description Returns the inputSchema in the dialect of a model. A value that the dialect cannot describe is a string that holds JSON. Execute with the same `schemaProfile`, which understands inputs made by it.
       * @enum {string}
       */
      schemaProfile?: 'openai-strict' | 'anthropic' | 'gemini';
    };
    GetUsageQuery: {
      /** @description Inclusive: a day or a time. */
      from?: string;
      /** @description Exclusive: a day or a time. Default: the end of today. */
      to?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ImportApplicationRequest: {
      /**
       * @description openapi: `document`, `url` or `fileId`. manifest: `manifest`. mcp: `serverUrl`, or `package` and `version`. piece: `package` and `version`.
       * @enum {string}
       */
      source: 'openapi' | 'manifest' | 'mcp' | 'piece';
      /** @description Slug of the new application. */
      slug: string;
      /** @description An OpenAPI 3 or Swagger 2.0 document. */
      document?: {
        [key: string]: unknown;
      };
      /** @description Address of the document, as JSON or YAML of at most 5 MiB. */
      url?: string;
      /** @description A file of the account with the document. */
      fileId?: string;
      /** @description The operations that become tools. Default: all that are not deprecated. */
      operations?: {
        /** @description As in the document. */
        operationId?: string;
        /** @description Beside `path`, if there is no `operationId`. */
        method?: string;
        /** @description As in the document: `/contacts/{id}`. */
        path?: string;
        /** @description Default: the operationId, made a slug. */
        toolSlug?: string;
        /** @description Default: that of the document, shortened. */
        description?: string;
      }[];
      /** @description Address below which the paths are. Default: the document’s first server. */
      baseUrl?: string;
      /** @description How connections sign in. Default: the security schemes of the document. */
      authentication?:
        | {
            /**
             * @description Nothing is sent.
             * @constant
             */
            type: 'none';
          }
        | {
            /**
             * @description A key in a header, a query parameter or a cookie.
             * @constant
             */
            type: 'apiKey';
            /**
             * @description Where the key is sent.
             * @enum {string}
             */
            in: 'header' | 'query' | 'cookie';
            /** @description Name of the header, parameter or cookie. */
            name: string;
          }
        | {
            /**
             * @description A user name and a password.
             * @constant
             */
            type: 'basic';
          }
        | {
            /**
             * @description A token in the header Authorization.
             * @constant
             */
            type: 'bearer';
          }
        | {
            /**
             * @description A sign-in by OAuth 2, or the client for itself if there is no authorizationUrl.
             * @constant
             */
            type: 'oauth2';
            /**
             * @description The vendor's authorization endpoint.
             * @default null
             */
            authorizationUrl?: string | null;
            /** @description The vendor's token endpoint. */
            tokenUrl: string;
            /**
             * @description Scopes to ask for.
             * @default []
             */
            scopes?: string[];
          };
      /** @description A manifest, as an object or as YAML text; without triggers and handlers. */
      manifest?: Record<string, never> | string;
      /** @description Address of an MCP server. */
      serverUrl?: string;
      /** @description Name of a package that the operator has allowed. */
      package?: string;
      /** @description Version of the package. */
      version?: string;
    };
    ImportConnectionRequest: {
      applicationSlug: string;
      connectionName: string;
      authenticationId: number;
      /** @description Absent: the account’s default provider. 0: the connector’s own OAuth client. Otherwise: the provider with this id. */
      authProviderId?: number;
      /** @description Instead of authProviderId: a name, an id as text, or `none` for the connector’s own OAuth client. */
      authProvider?: string;
      /** @description Absent: it is the account’s own. */
      endUserId?: string | null;
      accessToken: string;
      refreshToken?: string | null;
      /** @description When the access token expires. Absent: it is used until it is refused. */
      expiresAt?: string | null;
    };
    ImportedApplication: {
      slug: string;
      name: string;
      description: string;
      categories: string[];
      kind: components['schemas']['Kind'];
      logoUrl: string | null;
      /** @description Whether the account can connect it now. */
      isAvailable: boolean;
      /** @description Whether its tools may be served on MCP servers. */
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
      /** @description Operations that became no tool. */
      skipped: {
        operationId: string | null;
        method: string;
        path: string;
        reason: string;
      }[];
    };
    IssuedDestination: {
      id: string;
      name: string;
      url: string;
      /** @description The names of the headers that each request has in addition; values are not returned. */
      headers: {
        [key: string]: null;
      };
      isEnabled: boolean;
      /** @description Null while it is enabled. */
      disabledReason: ('consecutive_failures' | 'owner') | null;
      /** @description Distinct events in a row that were dead-lettered. */
      consecutiveFailures: number;
      /** @description As many of them disable it. */
      maxConsecutiveFailures: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description `whsec_` and the base64 of 32 bytes. Returned by create and rotate only. */
      signingSecret: string;
    };
    /**
     * @description Regular, Key (every method is an API key), OPA (on-prem) or MCPClient (a third-party MCP server).
     * @enum {string}
     */
    Kind: 'Regular' | 'Key' | 'OPA' | 'MCPClient';
    /** @description A connection without an active licence is Blocked. A licence whose expiresAt has passed is shown as expired. */
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
       * @description Maximum number of items in the page.
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
       * @description Maximum number of items in the page.
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
       * @description Maximum number of items in the page.
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
      /** @description true: applications that the account can connect now; false: the others. */
      available?: boolean;
      /**
       * @description Searches by meaning; empty or blank: no search.
       * @default
       */
      search?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListApprovalsQuery: {
      /** @enum {string} */
      status?: 'pending' | 'approved' | 'rejected' | 'used' | 'expired';
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
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
      /** @description The actor: the id of a user, `operator` or `system`. */
      actor?: string;
      /** @description The action as the entry names it, for example `createConnection`. */
      action?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListAuthProviderSourcesQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListAuthProvidersQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListCanariesQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
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
      applicationSlug?: string;
      /** @enum {string} */
      status?: 'Active' | 'NeedsReauthentication' | 'Blocked';
      /** @description Only connections of this customer of your product. */
      endUserId?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 25
       */
      top?: number;
    };
    ListDestinationsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListEventsQuery: {
      triggerId?: string;
      /** @description One of the destinations of the event. */
      destinationId?: string;
      /** @enum {string} */
      delivery?: 'pending' | 'dead_lettered' | 'held' | 'delivered' | 'none';
      /**
       * Format: date-time
       * @description Inclusive; of `occurred_at`.
       */
      from?: string;
      /**
       * Format: date-time
       * @description Exclusive; of `occurred_at`.
       */
      to?: string;
      /** @description The `id` of an event: only those captured before it are listed and counted in `totalCount`, and `offset` counts from it. One that the account does not have gives an empty page. */
      after?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
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
      /** @description A `historyId`: only the executions older than it are listed and counted in `totalCount`, and `offset` counts from it. One that the account does not have gives an empty page. */
      after?: number;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListMcpServersQuery: {
      /**
       * @description Zero-based index of the first item. A negative one is taken as 0.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page. Clamped to 1 to 100.
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
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListOnPremAgentsQuery: {
      /**
       * @description Zero-based index of the first item. A negative one is taken as 0.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page. Clamped to 1 to 100.
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
      /** @description The actor: the id of a user, `operator` or `system`. */
      actor?: string;
      /** @description The action as the entry names it, for example `createConnection`. */
      action?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListToolsItem: components['schemas']['ToolListItem'] | components['schemas']['ToolDefinition'];
    ListToolsQuery: {
      applicationSlug?: string;
      /**
       * @description Searches by meaning; empty or blank: no search.
       * @default
       */
      search?: string;
      /**
       * @description Returns definitions for the API of a model. Definitions for anthropic and gemini have the schema profile of that name, unless another is chosen. `filters`, `sorts`, `top` and `offset` are arguments beside the inputs, where the tool supports them: execute with the `schemaProfile` of the definition, which takes them out of `fields`; with `anthropic` if it has none.
       * @enum {string}
       */
      format?: 'openai' | 'anthropic' | 'vercel-ai' | 'gemini';
      /**
       * @description Returns the inputSchema in the dialect of a model. A value that the dialect cannot describe is a string that holds JSON. Execute with the same `schemaProfile`, which understands inputs made by it.
       * @enum {string}
       */
      schemaProfile?: 'openai-strict' | 'anthropic' | 'gemini';
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListToolsetToolsItem: components['schemas']['Tool'] | components['schemas']['ToolDefinition'];
    ListToolsetToolsQuery: {
      /**
       * @description Returns definitions for the API of a model. Definitions for anthropic and gemini have the schema profile of that name, unless another is chosen. `filters`, `sorts`, `top` and `offset` are arguments beside the inputs, where the tool supports them: execute with the `schemaProfile` of the definition, which takes them out of `fields`; with `anthropic` if it has none.
       * @enum {string}
       */
      format?: 'openai' | 'anthropic' | 'vercel-ai' | 'gemini';
      /**
       * @description Returns the inputSchema in the dialect of a model. A value that the dialect cannot describe is a string that holds JSON. Execute with the same `schemaProfile`, which understands inputs made by it.
       * @enum {string}
       */
      schemaProfile?: 'openai-strict' | 'anthropic' | 'gemini';
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListToolsetsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListTriggerTypesQuery: {
      applicationSlug?: string;
      /**
       * @description Searches by meaning; empty or blank: no search.
       * @default
       */
      search?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListTriggersQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListUsableAuthProvidersQuery: {
      applicationSlug?: string;
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
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
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    ListWorkflowsQuery: {
      /**
       * @description Zero-based index of the first item.
       * @default 0
       */
      offset?: number;
      /**
       * @description Maximum number of items in the page.
       * @default 100
       */
      top?: number;
    };
    McpServer: {
      /** @description Names the server, and opens its address if it admits anonymous clients. Treat it as a secret. */
      mcpServerToken: string;
      name: string;
      description: string | null;
      /** @description The address for MCP clients. It holds the token. */
      url: string;
      /** @description An address without the token, for clients that sign in with OAuth. */
      oauthUrl: string;
      /** @description False: the endpoint answers as if the server did not exist. */
      isActive: boolean;
      /** @description Whether clients without a credential may call. */
      isAnonymousAllowed: boolean;
      connections: components['schemas']['McpServerConnection'][];
      workflows: components['schemas']['McpServerWorkflow'][];
      /** @description Every call runs as with this toolset. Null: none. */
      toolsetId: string | null;
      /** @description Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit. */
      contextBudget: number | null;
      /** @description Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused. */
      confirmDestructive: boolean;
      /** @description Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change. */
      holdChangedTools: boolean;
      /** @description The tools that are held because they have changed. */
      changedTools: components['schemas']['McpServerChangedTool'][];
      /**
       * @description The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
       * @enum {string}
       */
      schemas: 'portable' | 'original';
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    McpServerChangedTool: {
      toolSlug: string;
      applicationSlug: string;
      /**
       * Format: date-time
       * @description When the change was noticed.
       */
      changedAt: string;
    };
    McpServerConnection: {
      connectionId: number;
      applicationSlug: string;
      /** @description Tool slugs. Null: every tool of the application. */
      tools: string[] | null;
      /**
       * @description shared: everybody calls the tools with this connection. user: each user calls them with a connection of their own to the same application, whose `endUserId` is `user:<userId>`; clients without a credential are refused.
       * @enum {string}
       */
      identity: 'shared' | 'user';
    };
    McpServerConnectionRequest: {
      connectionId: number;
      /** @description Ignored, so that the entries of a record can be sent back. */
      applicationSlug?: unknown;
      /**
       * @description Slugs of the tools to serve. Null or absent: every tool of the application.
       * @default null
       */
      tools?: string[] | null;
      /**
       * @description shared: everybody calls the tools with this connection. user: each user calls them with a connection of their own to the same application, whose `endUserId` is `user:<userId>`; clients without a credential are refused.
       * @default shared
       * @enum {string}
       */
      identity?: 'shared' | 'user';
    };
    McpServerWorkflow: {
      workflowToken: string;
    };
    McpServerWorkflowRequest: {
      workflowToken: string;
    };
    OAuthClient: {
      clientId: string;
      name: string;
      redirectUris: string[];
      grantTypes: ('authorization_code' | 'refresh_token' | 'client_credentials')[];
      /** @description The scopes that the client may request. */
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
      /** @description The user that client credentials tokens act as. */
      userId: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    OnPremAgent: {
      id: number;
      name: string;
      applicationSlug: string;
      /**
       * @description WaitingForConnection: it has never connected. Offline: it has said goodbye, has been silent for three poll periods, or its token was replaced.
       * @enum {string}
       */
      status: 'WaitingForConnection' | 'Online' | 'Offline';
      settings: components['schemas']['OnPremAgentSettings'];
      /** @description Null: it has never connected. */
      agentVersion: string | null;
      /** @description Such as linux-x64. Null: it has never connected. */
      platform: string | null;
      /** @description Names and types of the credentials in the agent’s own configuration, which tools name as `profile`. Their values stay there. */
      profiles: components['schemas']['OnPremAgentProfile'][];
      /** @description Null: it has never connected. */
      lastSeenAt: string | null;
      /** Format: date-time */
      createdAt: string;
    };
    OnPremAgentProfile: {
      name: string;
      type: string;
    };
    OnPremAgentRelease: {
      version: string;
      /** @enum {string} */
      platform: 'linux-x64' | 'linux-arm64';
      /** @description The address of the installer. */
      url: string;
      /** @description Shows that a download is whole, not that it is authentic. Null: degraded. */
      sha256: string | null;
      /** @description Null: degraded. */
      sizeBytes: number | null;
      /** @description Null: degraded. */
      releasedAt: string | null;
      /** @description Nothing is known but the address. Refuse such a record if you have to verify the installer. */
      degraded: boolean;
    };
    OnPremAgentSettings: {
      /** @description Tasks at the same time. */
      parallelTasks: number;
      /** @description The longest wait of a poll. A task starts at once all the same. */
      pullPeriodSeconds: number;
      /**
       * @description The agent logs this level and above.
       * @enum {string}
       */
      logLevel: 'Trace' | 'Debug' | 'Information' | 'Warning' | 'Error';
    };
    OnPremAgentSettingsChange: {
      /** @description Tasks at the same time, in the range of the application. Null: the default. */
      parallelTasks?: number | null;
      /** @description The longest wait of a poll, in the range of the application. Null: the default. */
      pullPeriodSeconds?: number | null;
      logLevel?: ('Trace' | 'Debug' | 'Information' | 'Warning' | 'Error') | null;
    };
    OnPremAgentToken: {
      /** @description The credential with which the agent connects. Treat it as a secret. */
      token: string;
    };
    OperatedAccount: {
      accountId: string;
      name: string;
      /** @description Off: every active user may do everything except account administration. On: the role decides the permissions. */
      isRbacEnabled: boolean;
      defaultLicence: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser: number;
      budgets: components['schemas']['Budgets'];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description When its erasure began: since then none of its credentials is accepted. Null: it is not being erased. */
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
    PromotedCanary: {
      service: string;
      /**
       * @description `route`: the weights of a route of the Gateway API decide.
       * @enum {string}
       */
      mode: 'gateway' | 'route';
      /** @description Percentage of the accounts whose calls go to the canary. */
      weight: number;
      /** @description Whether everything goes to stable until a weight is set. */
      isAborted: boolean;
      /** @description Tag of the canary’s image. */
      image: string | null;
      /** @description The operator’s values. */
      rule: {
        weight: number;
        /** @description Accounts whose calls always go to the canary. */
        accounts: string[];
        /** @description Callers who may send `x-canary-<service>`: ids of keys, or `operator`. */
        headers: string[];
      };
      /** @description The change to these values that applies; null: they apply themselves. */
      change: {
        /** @enum {string} */
        by: 'operator' | 'analysis' | 'route';
        /** Format: date-time */
        at: string;
      } | null;
      /** @description All processes that have answered. */
      processes: components['schemas']['CanaryProcess'][];
      /** @description Processes that did not obey the change within half a minute. Empty: all that have answered do. */
      laggingProcesses: components['schemas']['CanaryProcess'][];
      /** @description Values of the chart with which the next upgrade makes the canary’s release the stable one. */
      values: {
        [key: string]: unknown;
      };
    };
    QueuedReplays: {
      /** @description How many events will be replayed. */
      queued: number;
    };
    RedirectUri: {
      redirectUri: string;
    };
    ReplaceConnectionRequest: {
      connectionName: string;
      description?: string | null;
      /** @description Absent: the credentials are kept. Present: all of them are replaced. */
      fields?: {
        [key: string]: unknown;
      };
      /** @description The state of a completed sign-in of the same application and method: re-authenticates. Absent: the sign-in is kept. */
      oauthState?: string | null;
      /** @description Any JSON object of at most 16 KiB. */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    ReplayEventQuery: {
      /** @description Replays it to this one of its destinations only. */
      destinationId?: string;
    };
    ReplayEventsRequest: {
      triggerId?: string;
      /** @description Only events that go there; they are replayed to this destination only. */
      destinationId?: string;
      /**
       * Format: date-time
       * @description Inclusive; of `occurred_at`.
       */
      from: string;
      /**
       * Format: date-time
       * @description Exclusive; of `occurred_at`.
       */
      to?: string;
      /** @enum {string} */
      delivery?: 'pending' | 'dead_lettered' | 'held' | 'delivered' | 'none';
    };
    /** @enum {string} */
    Role: 'owner' | 'admin' | 'developer' | 'member';
    RotateOnPremAgentTokenQuery: {
      /**
       * @description Must be `true`, because the agent stops working.
       * @constant
       */
      confirm: true;
    };
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
    SendRequestQuery: {
      /**
       * @description Returns what would be sent, with secrets masked, and sends nothing.
       * @default false
       */
      dryRun?: boolean;
    };
    SendRequestRequest: {
      /**
       * @default GET
       * @enum {string}
       */
      method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
      /** @description Relative to the application’s base URL, or a whole URL below it. The segments `.` and `..`, backslashes and spaces are refused, however they are encoded. */
      path: string;
      /**
       * @description Query parameters by name. A list sends the parameter once for each value.
       * @default {}
       */
      query?: {
        [key: string]: (string | number | boolean) | (string | number | boolean)[];
      };
      /**
       * @description Headers by name. The headers that carry the credential cannot be replaced.
       * @default {}
       */
      headers?: {
        [key: string]: string;
      };
      /** @description A string is sent as it is, anything else as JSON; a content-type header takes precedence. */
      body?: unknown;
    };
    SessionConnection: {
      connectionId: number;
      connectionName: string;
      applicationSlug: string;
    };
    SetLicenceRequest: {
      status: components['schemas']['LicenceStatus'];
      /** @description Null or absent: it does not expire. */
      expiresAt?: string | null;
    };
    SignInStart: {
      /** @description The address to open in the browser of the person who signs in. */
      signInUrl: string;
      /**
       * Format: uuid
       * @description Poll it, then send it as `oauthState`. It is valid for 300 seconds and for one use.
       */
      state: string;
    };
    SigningKeyRotation: {
      /** @description The id of the next key, as in the published keys. */
      kid: string;
    };
    StoredFile: {
      fileId: string;
      /** @description Downloads the file without a credential, always as an attachment; valid for 15 minutes. */
      url: string;
      name: string;
      contentType: string;
      sizeBytes: number;
      /** @description Of the content, in hexadecimal digits. */
      sha256: string;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /**
       * Format: date-time
       * @description When the file is removed.
       */
      expiresAt: string;
    };
    TestTriggerQuery: {
      /** @description Sends to this one of its destinations instead. */
      destinationId?: string;
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
    ToolDefinition: {
      toolSlug: string;
      applicationSlug: string;
      /** @description What the model’s API takes. Its name has at most 64 characters, is the same in every list, and no other tool has it. */
      definition: {
        [key: string]: unknown;
      };
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
      /** @description Relevance; present only with a search. */
      score?: number;
    };
    Toolset: {
      /** Format: uuid */
      id: string;
      name: string;
      description: string | null;
      connections: components['schemas']['ToolsetConnection'][];
      /** @description Null: every tool of the connections’ applications. */
      tools: components['schemas']['ToolsetTool'][] | null;
      workflows: components['schemas']['ToolsetWorkflow'][];
      policy: components['schemas']['ToolsetPolicy'] | null;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    ToolsetConnection: {
      connectionId: number;
    };
    ToolsetPolicy: {
      /** @description Only tools that Fairlead’s own catalogue calls read-only may run. */
      readOnly: boolean;
      /** @description By tool slug: inputs that override the caller’s. */
      fixedFields: {
        [key: string]: {
          [key: string]: unknown;
        };
      };
      /** @description Calls that may run per UTC hour; null: any number. */
      callsPerHour: number | null;
      /** @description The slugs of the tools whose calls have to be approved. */
      requireApproval: string[];
      /** @description Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN. */
      approvedByOther: boolean;
    };
    ToolsetTool: {
      applicationSlug: string;
      toolSlug: string;
    };
    ToolsetWorkflow: {
      workflowToken: string;
    };
    Trigger: {
      id: string;
      name: string;
      triggerTypeSlug: string;
      /** @description Supplied by the server if the type needs no connection. */
      connectionId: number;
      configuration: {
        [key: string]: unknown;
      };
      filter: string | null;
      destinationIds: string[];
      isEnabled: boolean;
      /** @description The address whose calls fire it; anybody who knows it may call. Null unless the type is http_webhook. */
      inboundUrl: string | null;
      lastFiredAt: string | null;
      lastError: string | null;
      /** @description Times during which it may have missed firings; the last 10. */
      gaps: components['schemas']['TriggerGap'][];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    TriggerGap: {
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      reason: string;
    };
    TriggerTestResult: {
      /** @description Whether the destination answered with a 2xx. */
      delivered: boolean;
      /** @description Null without a response. */
      status_code: number | null;
      /** @description A short code, such as `timeout`, `connection_refused` or `http_500`; null if it was delivered. */
      error: string | null;
    };
    TriggerType: {
      slug: string;
      name: string;
      description: string;
      applicationSlug: string;
      /** @description Whether a trigger names a connection; otherwise the server supplies one. */
      requiresConnection: boolean;
      /** @description JSON Schema 2020-12 of a trigger’s `configuration`. */
      configSchema: {
        [key: string]: unknown;
      };
      /** @description JSON Schema 2020-12 of an event’s `payload`. */
      payloadSchema: {
        [key: string]: unknown;
      };
      /** @enum {string} */
      kind: 'poll' | 'schedule' | 'webhook' | 'system';
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
      /** @description Relevance; present only with a search. */
      score?: number;
    };
    UpdateAccountRequest: {
      name?: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser?: number;
      /** @description A budget that is left out keeps its value. */
      budgets?: {
        /** @description Calls per second. */
        burstPerSecond?: number;
        /** @description Calls per hour. */
        hourly?: number;
        /** @description Searches per second. */
        searchPerSecond?: number;
        /** @description Searches per hour. */
        searchPerHour?: number;
        /** @description Trigger tests per minute. */
        triggerTestPerMinute?: number;
        /** @description Calls per second to each inbound hook. */
        hookPerSecond?: number;
      };
    };
    UpdateAuthProviderRequest: {
      name?: string;
      isDefault?: boolean;
      isEnabled?: boolean;
      /** @description A slot that is left out keeps its value; an empty value clears the slot. A change of a slot with an address needs the secret slots again. */
      values?: {
        [key: string]: string;
      };
      /** @description OAuth scopes to ask for. Null: the scopes of the method. */
      scopes?: string[] | null;
    };
    UpdateCanaryRequest: {
      /** @description Percentage of the accounts whose calls go to the canary. A higher one only adds accounts. */
      weight: number;
    };
    UpdateDestinationRequest: {
      name?: string;
      /**
       * Format: uri
       * @description http or https, without user name, password and fragment.
       */
      url?: string;
      /** @description Replaces all headers. Null keeps the value that a header has, as values are not returned. A change of the origin of `url` needs all values again, or `{}`. */
      headers?: {
        [key: string]: string | null;
      };
      isEnabled?: boolean;
      /** @description As many events in a row that are dead-lettered disable the destination. */
      maxConsecutiveFailures?: number;
      /** @description Another spelling of `maxConsecutiveFailures`. */
      max_consecutive_failures?: number;
    };
    UpdateMcpServerRequest: {
      name?: string;
      description?: string | null;
      isActive?: boolean;
      /** @description Ignored: only the creation of a server sets it. */
      isAnonymousAllowed?: unknown;
      connections?: components['schemas']['McpServerConnectionRequest'][];
      workflows?: components['schemas']['McpServerWorkflowRequest'][];
      /** @description Every call runs as with this toolset: tools outside of it are not listed, and its policy holds. Null: none. */
      toolsetId?: string | null;
      /** @description Tokens that the list of tools may take in the context of a model, one for each 4 bytes of its JSON. A server whose list takes more lists `search_tools`, `describe_tool` and `call_tool` instead. Null: no limit. */
      contextBudget?: number | null;
      /** @description Whether the person at the client confirms each call of a tool that may destroy something (`destructiveHint`, or no hint). Clients that cannot ask one have such calls refused. */
      confirmDestructive?: boolean;
      /** @description Whether a tool of an MCPClient connection is neither listed nor called after its name, description or schema at its server has changed, until an administrator accepts the change. */
      holdChangedTools?: boolean;
      /**
       * @description The input schemas in the list of tools. portable: without keywords that model APIs refuse. original: as the tools declare them. Calls are checked against the original ones either way.
       * @enum {string}
       */
      schemas?: 'portable' | 'original';
    };
    UpdateOnPremAgentRequest: {
      settings?: components['schemas']['OnPremAgentSettingsChange'] | null;
    };
    UpdateOperatedAccountRequest: {
      name?: string;
      isRbacEnabled?: boolean;
      defaultLicence?: components['schemas']['DefaultLicence'];
      /** @description How many connections an end user, a customer of your product, may have. A connect session keeps the value with which it was opened. */
      maxConnectionsPerEndUser?: number;
      /** @description A budget that is left out keeps its value. */
      budgets?: {
        /** @description Calls per second. */
        burstPerSecond?: number;
        /** @description Calls per hour. */
        hourly?: number;
        /** @description Searches per second. */
        searchPerSecond?: number;
        /** @description Searches per hour. */
        searchPerHour?: number;
        /** @description Trigger tests per minute. */
        triggerTestPerMinute?: number;
        /** @description Calls per second to each inbound hook. */
        hookPerSecond?: number;
      };
    };
    UpdateToolsetRequest: {
      name?: string;
      description?: string | null;
      connections?: {
        connectionId: number;
      }[];
      /** @description The permitted tools, as their slugs named them when the list was saved. Null: every tool of the connections’ applications. */
      tools?:
        | {
            applicationSlug: string;
            toolSlug: string;
          }[]
        | null;
      /** @description The workflows that may be run; they need no place in `tools`. */
      workflows?: {
        workflowToken: string;
      }[];
      /** @description The demands of the toolset on calls that name it, at most 64 KiB. Null: none. */
      policy?: {
        /**
         * @description Only tools that Fairlead’s own catalogue calls read-only may run. An MCP server’s own statements about its tools do not count.
         * @default false
         */
        readOnly?: boolean;
        /** @description By tool slug: inputs that override the caller’s. A slug means the tools that it named when the policy was saved; an input that none of them has is refused. Whoever reads the toolset sees them, so they are no place for secrets. */
        fixedFields?: {
          [key: string]: Record<string, never>;
        };
        /** @description Calls that may run per UTC hour. Null or absent: any number. */
        callsPerHour?: number | null;
        /**
         * @description The slugs of the tools whose calls have to be approved: those that they named when the policy was saved.
         * @default []
         */
        requireApproval?: string[];
        /**
         * @description Whether the user who calls cannot approve or reject the call: 403 FORBIDDEN.
         * @default false
         */
        approvedByOther?: boolean;
      } | null;
    };
    UpdateTriggerRequest: {
      name?: string;
      /** @description Must not change. */
      triggerTypeSlug?: string;
      /** @description A connection of the type’s application. Types that need none get one from the server. */
      connectionId?: number | null;
      /** @description Matches the type’s `configSchema`. */
      configuration?: {
        [key: string]: unknown;
      };
      /** @description JSONata over the payload: only a firing for which it is true becomes an event. Null: every one. */
      filter?: string | null;
      /** @description Where events go; duplicates fold. A test goes to the first one. */
      destinationIds?: string[];
      isEnabled?: boolean;
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
    UpdateWorkflowRequest: {
      name?: string;
      /** @description Unique in the account, and not the slug of a tool. */
      slug?: string;
      description?: string | null;
      /** @description JSON Schema 2020-12 of the inputs, at most 64 KiB. Only the schema of an input itself may have format: file, not one of a part of it. */
      inputSchema?: {
        [key: string]: unknown;
      };
      /** @description Run in order. Expressions read `input`, `steps.<id>.{isSuccess,output,errorMessage}` and, inside forEach, `item`. */
      steps?: {
        /** @description Unique in the workflow: letters, digits, hyphens and underscores. */
        id: string;
        /** @description A tool of the catalogue; a workflow cannot run another one. */
        toolSlug: string;
        applicationSlug?: string;
        /** @description Otherwise the toolset’s connection is used. */
        connectionId?: number;
        /**
         * @description The tool’s inputs. Strings that begin with `=` are JSONata.
         * @default {}
         */
        fields?: {
          [key: string]: unknown;
        };
        /** @description JSONata after `=`, without `item`. Unless it is true, the step is skipped, and absent from `steps`. */
        when?: string;
        /** @description JSONata after `=`: the items to call the tool for, at most 1000, one after the other. */
        forEach?: string;
        /**
         * @description What happens when the step fails.
         * @default stop
         * @enum {string}
         */
        onError?: 'stop' | 'continue' | 'retry';
      }[];
      /** @description Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by their ids. A value that is no object is put in the member `value`. */
      output?: unknown;
    };
    UpdatedOnPremAgent: {
      /** @description Whether the running agent has the settings. Otherwise it gets them when it connects. */
      appliedToAgent: boolean;
      /** @description The tasks by which they were handed to it. */
      dispatchedTaskIds: string[];
    };
    UsableAuthProvider: {
      id: number;
      name: string;
      applicationSlug: string;
      authenticationId: number;
      /** @description It is used where no auth provider is named. */
      isDefault: boolean;
    };
    UsageDay: {
      /**
       * Format: date
       * @description The day, in UTC.
       */
      date: string;
      /** @description Admitted API calls, including those that count against no budget. */
      calls: number;
      /** @description Tool executions in the history. */
      executions: number;
      /** @description Trigger events that were captured. */
      events: number;
    };
    User: {
      userId: string;
      /** @description In lower case; unique in the account. */
      email: string;
      name: string;
      role: components['schemas']['Role'];
      /** @description False: every credential of the user is refused with ACCOUNT_USER_INACTIVE. */
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
      /** @description What the role allows, limited to the scopes of the credential. */
      permissions: components['schemas']['Permission'][];
      /** @description OAuth scopes of a bearer token, or the permissions that an API key keeps; null for a key that keeps all of its user’s. */
      scopes: components['schemas']['Scope'][] | null;
      /** @description The toolset that the API key is confined to; null: none. */
      toolsetId: string | null;
    };
    Workflow: {
      workflowToken: string;
      name: string;
      /** @description The tool slug under which it runs, with a toolset that holds it. */
      slug: string;
      description: string | null;
      /** @description JSON Schema 2020-12 of the execution’s `fields`. */
      inputSchema: {
        [key: string]: unknown;
      };
      steps: components['schemas']['WorkflowStep'][];
      /** @description Null: the outputs of the steps, by their ids. */
      output: unknown;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      updatedAt: string;
    };
    WorkflowStep: {
      id: string;
      toolSlug: string;
      applicationSlug?: string;
      connectionId?: number;
      fields: {
        [key: string]: unknown;
      };
      when?: string;
      forEach?: string;
      /** @enum {string} */
      onError: 'stop' | 'continue' | 'retry';
    };
  };
}
export type AbortCanaryQuery = components['schemas']['AbortCanaryQuery'];
export type Account = components['schemas']['Account'];
export type AccountExport = components['schemas']['AccountExport'];
export type ApiKey = components['schemas']['ApiKey'];
export type Application = components['schemas']['Application'];
export type ApplicationSummary = components['schemas']['ApplicationSummary'];
export type Approval = components['schemas']['Approval'];
export type ApprovedFile = components['schemas']['ApprovedFile'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditReport = components['schemas']['AuditReport'];
export type AuthProvider = components['schemas']['AuthProvider'];
export type AuthProviderMethod = components['schemas']['AuthProviderMethod'];
export type AuthProviderSlot = components['schemas']['AuthProviderSlot'];
export type AuthProviderSource = components['schemas']['AuthProviderSource'];
export type AuthProviderValue = components['schemas']['AuthProviderValue'];
export type AuthenticationMethod = components['schemas']['AuthenticationMethod'];
export type Budgets = components['schemas']['Budgets'];
export type Canary = components['schemas']['Canary'];
export type CanaryProcess = components['schemas']['CanaryProcess'];
export type ChangedCanary = components['schemas']['ChangedCanary'];
export type CompletedSignIn = components['schemas']['CompletedSignIn'];
export type ConnectSession = components['schemas']['ConnectSession'];
export type ConnectTheme = components['schemas']['ConnectTheme'];
export type Connection = components['schemas']['Connection'];
export type ConnectionTestResult = components['schemas']['ConnectionTestResult'];
export type CreateAccountRequest = components['schemas']['CreateAccountRequest'];
export type CreateApiKeyRequest = components['schemas']['CreateApiKeyRequest'];
export type CreateAuthProviderRequest = components['schemas']['CreateAuthProviderRequest'];
export type CreateConnectSessionRequest = components['schemas']['CreateConnectSessionRequest'];
export type CreateConnectionQuery = components['schemas']['CreateConnectionQuery'];
export type CreateConnectionRequest = components['schemas']['CreateConnectionRequest'];
export type CreateDestinationRequest = components['schemas']['CreateDestinationRequest'];
export type CreateMcpServerRequest = components['schemas']['CreateMcpServerRequest'];
export type CreateOAuthClientRequest = components['schemas']['CreateOAuthClientRequest'];
export type CreateOnPremAgentRequest = components['schemas']['CreateOnPremAgentRequest'];
export type CreateToolsetRequest = components['schemas']['CreateToolsetRequest'];
export type CreateTriggerRequest = components['schemas']['CreateTriggerRequest'];
export type CreateUserRequest = components['schemas']['CreateUserRequest'];
export type CreateWorkflowRequest = components['schemas']['CreateWorkflowRequest'];
export type CreatedAccount = components['schemas']['CreatedAccount'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type CreatedConnectSession = components['schemas']['CreatedConnectSession'];
export type CreatedOAuthClient = components['schemas']['CreatedOAuthClient'];
export type CreatedOnPremAgent = components['schemas']['CreatedOnPremAgent'];
export type DefaultLicence = components['schemas']['DefaultLicence'];
export type DeleteConnectionQuery = components['schemas']['DeleteConnectionQuery'];
export type DeleteOnPremAgentQuery = components['schemas']['DeleteOnPremAgentQuery'];
export type DeleteWorkflowQuery = components['schemas']['DeleteWorkflowQuery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type Destination = components['schemas']['Destination'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type ErrorResponse = components['schemas']['ErrorResponse'];
export type Event = components['schemas']['Event'];
export type EventBody = components['schemas']['EventBody'];
export type EventDetail = components['schemas']['EventDetail'];
export type ExecuteToolQuery = components['schemas']['ExecuteToolQuery'];
export type ExecuteToolRequest = components['schemas']['ExecuteToolRequest'];
export type Execution = components['schemas']['Execution'];
export type ExecutionInfo = components['schemas']['ExecutionInfo'];
export type ExecutionResult = components['schemas']['ExecutionResult'];
export type FieldDescriptor = components['schemas']['FieldDescriptor'];
export type GetLatestAgentReleaseQuery = components['schemas']['GetLatestAgentReleaseQuery'];
export type GetRedirectUriQuery = components['schemas']['GetRedirectUriQuery'];
export type GetSignInUrlRequest = components['schemas']['GetSignInUrlRequest'];
export type GetToolQuery = components['schemas']['GetToolQuery'];
export type GetUsageQuery = components['schemas']['GetUsageQuery'];
export type ImportApplicationRequest = components['schemas']['ImportApplicationRequest'];
export type ImportConnectionRequest = components['schemas']['ImportConnectionRequest'];
export type ImportedApplication = components['schemas']['ImportedApplication'];
export type IssuedDestination = components['schemas']['IssuedDestination'];
export type Kind = components['schemas']['Kind'];
export type Licence = components['schemas']['Licence'];
export type LicenceStatus = components['schemas']['LicenceStatus'];
export type ListAccountsQuery = components['schemas']['ListAccountsQuery'];
export type ListAllConnectionsQuery = components['schemas']['ListAllConnectionsQuery'];
export type ListApiKeysQuery = components['schemas']['ListApiKeysQuery'];
export type ListApplicationsQuery = components['schemas']['ListApplicationsQuery'];
export type ListApprovalsQuery = components['schemas']['ListApprovalsQuery'];
export type ListAuditEntriesQuery = components['schemas']['ListAuditEntriesQuery'];
export type ListAuthProviderSourcesQuery = components['schemas']['ListAuthProviderSourcesQuery'];
export type ListAuthProvidersQuery = components['schemas']['ListAuthProvidersQuery'];
export type ListCanariesQuery = components['schemas']['ListCanariesQuery'];
export type ListConnectionsQuery = components['schemas']['ListConnectionsQuery'];
export type ListDestinationsQuery = components['schemas']['ListDestinationsQuery'];
export type ListEventsQuery = components['schemas']['ListEventsQuery'];
export type ListExecutionsQuery = components['schemas']['ListExecutionsQuery'];
export type ListMcpServersQuery = components['schemas']['ListMcpServersQuery'];
export type ListOAuthClientsQuery = components['schemas']['ListOAuthClientsQuery'];
export type ListOnPremAgentsQuery = components['schemas']['ListOnPremAgentsQuery'];
export type ListPlatformAuditEntriesQuery = components['schemas']['ListPlatformAuditEntriesQuery'];
export type ListToolsItem = components['schemas']['ListToolsItem'];
export type ListToolsQuery = components['schemas']['ListToolsQuery'];
export type ListToolsetToolsItem = components['schemas']['ListToolsetToolsItem'];
export type ListToolsetToolsQuery = components['schemas']['ListToolsetToolsQuery'];
export type ListToolsetsQuery = components['schemas']['ListToolsetsQuery'];
export type ListTriggerTypesQuery = components['schemas']['ListTriggerTypesQuery'];
export type ListTriggersQuery = components['schemas']['ListTriggersQuery'];
export type ListUsableAuthProvidersQuery = components['schemas']['ListUsableAuthProvidersQuery'];
export type ListUsersQuery = components['schemas']['ListUsersQuery'];
export type ListWorkflowsQuery = components['schemas']['ListWorkflowsQuery'];
export type McpServer = components['schemas']['McpServer'];
export type McpServerChangedTool = components['schemas']['McpServerChangedTool'];
export type McpServerConnection = components['schemas']['McpServerConnection'];
export type McpServerConnectionRequest = components['schemas']['McpServerConnectionRequest'];
export type McpServerWorkflow = components['schemas']['McpServerWorkflow'];
export type McpServerWorkflowRequest = components['schemas']['McpServerWorkflowRequest'];
export type OAuthClient = components['schemas']['OAuthClient'];
export type OnPremAgent = components['schemas']['OnPremAgent'];
export type OnPremAgentProfile = components['schemas']['OnPremAgentProfile'];
export type OnPremAgentRelease = components['schemas']['OnPremAgentRelease'];
export type OnPremAgentSettings = components['schemas']['OnPremAgentSettings'];
export type OnPremAgentSettingsChange = components['schemas']['OnPremAgentSettingsChange'];
export type OnPremAgentToken = components['schemas']['OnPremAgentToken'];
export type OperatedAccount = components['schemas']['OperatedAccount'];
export type Permission = components['schemas']['Permission'];
export type PromotedCanary = components['schemas']['PromotedCanary'];
export type QueuedReplays = components['schemas']['QueuedReplays'];
export type RedirectUri = components['schemas']['RedirectUri'];
export type ReplaceConnectionRequest = components['schemas']['ReplaceConnectionRequest'];
export type ReplayEventQuery = components['schemas']['ReplayEventQuery'];
export type ReplayEventsRequest = components['schemas']['ReplayEventsRequest'];
export type Role = components['schemas']['Role'];
export type RotateOnPremAgentTokenQuery = components['schemas']['RotateOnPremAgentTokenQuery'];
export type Scope = components['schemas']['Scope'];
export type SendRequestQuery = components['schemas']['SendRequestQuery'];
export type SendRequestRequest = components['schemas']['SendRequestRequest'];
export type SessionConnection = components['schemas']['SessionConnection'];
export type SetLicenceRequest = components['schemas']['SetLicenceRequest'];
export type SignInStart = components['schemas']['SignInStart'];
export type SigningKeyRotation = components['schemas']['SigningKeyRotation'];
export type StoredFile = components['schemas']['StoredFile'];
export type TestTriggerQuery = components['schemas']['TestTriggerQuery'];
export type Tool = components['schemas']['Tool'];
export type ToolDefinition = components['schemas']['ToolDefinition'];
export type ToolListItem = components['schemas']['ToolListItem'];
export type Toolset = components['schemas']['Toolset'];
export type ToolsetConnection = components['schemas']['ToolsetConnection'];
export type ToolsetPolicy = components['schemas']['ToolsetPolicy'];
export type ToolsetTool = components['schemas']['ToolsetTool'];
export type ToolsetWorkflow = components['schemas']['ToolsetWorkflow'];
export type Trigger = components['schemas']['Trigger'];
export type TriggerGap = components['schemas']['TriggerGap'];
export type TriggerTestResult = components['schemas']['TriggerTestResult'];
export type TriggerType = components['schemas']['TriggerType'];
export type UpdateAccountRequest = components['schemas']['UpdateAccountRequest'];
export type UpdateAuthProviderRequest = components['schemas']['UpdateAuthProviderRequest'];
export type UpdateCanaryRequest = components['schemas']['UpdateCanaryRequest'];
export type UpdateDestinationRequest = components['schemas']['UpdateDestinationRequest'];
export type UpdateMcpServerRequest = components['schemas']['UpdateMcpServerRequest'];
export type UpdateOnPremAgentRequest = components['schemas']['UpdateOnPremAgentRequest'];
export type UpdateOperatedAccountRequest = components['schemas']['UpdateOperatedAccountRequest'];
export type UpdateToolsetRequest = components['schemas']['UpdateToolsetRequest'];
export type UpdateTriggerRequest = components['schemas']['UpdateTriggerRequest'];
export type UpdateUserRequest = components['schemas']['UpdateUserRequest'];
export type UpdateWorkflowRequest = components['schemas']['UpdateWorkflowRequest'];
export type UpdatedOnPremAgent = components['schemas']['UpdatedOnPremAgent'];
export type UsableAuthProvider = components['schemas']['UsableAuthProvider'];
export type UsageDay = components['schemas']['UsageDay'];
export type User = components['schemas']['User'];
export type Whoami = components['schemas']['Whoami'];
export type Workflow = components['schemas']['Workflow'];
export type WorkflowStep = components['schemas']['WorkflowStep'];

/** The error codes that operations of this version name. */
export type KnownErrorCode =
  | 'ACCOUNT_USER_INACTIVE'
  | 'AMBIGUOUS_APPLICATION'
  | 'AMBIGUOUS_TOOL'
  | 'APPROVAL_REQUIRED'
  | 'AUTH_PROVIDER_IN_USE'
  | 'CONFLICT'
  | 'CONNECTION_BLOCKED'
  | 'CONNECTION_IN_USE'
  | 'CONNECTION_NOT_IN_TOOLSET'
  | 'EMPTY_QUERY'
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
  | 'NO_DESTINATION'
  | 'NO_TOOLSET_CONNECTION'
  | 'OAUTH_SIGN_IN_FAILED'
  | 'OAUTH_STATE_EXPIRED'
  | 'OAUTH_STATE_REQUIRED'
  | 'OPA_AGENT_ERROR'
  | 'OPA_AGENT_OFFLINE'
  | 'OPA_AGENT_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'TIMEOUT'
  | 'TOOL_NOT_IN_TOOLSET'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'WRONG_APPLICATION';
