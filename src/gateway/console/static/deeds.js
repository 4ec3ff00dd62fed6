// What the audit log and the sign-ins of clients say, in Japanese; the gateway writes it in English.
/** By the kind of change, or by its words where it has none. */
export const DEEDS_JA = {
  'subscription.create': 'サブスクリプション {name} を作成（ティア {tier}）',
  'tier.set': '{subscription} のティアを {tier} に変更',
  'credits.add': '{subscription} に {amount} を追加',
  'credits.take': '{subscription} から {amount} を差し引き',
  'workspace.create': 'ワークスペース {workspace} を作成',
  'agent.create': '{workspace} にエージェント {agent} を作成',
  'agent.change': '{workspace} のエージェント {agent} を変更：検索 {search}、取得 {fetch}',
  'key.create': '{workspace} のキー {key}（{label}）を作成。用途：{scopes}',
  'key.rotate': '{workspace} のキー {old}（{label}）を {key} に交換',
  'key.revoke': '{workspace} のキー {key}（{label}）を失効',
  'budget.set': '{workspace} の {level} {subject} の予算（{hard}）を {amount}／{period} に設定',
  'budget.remove': '{workspace} の {level} {subject} の予算 {amount}／{period} を削除',
  'policy.set': '{workspace} の {level} {subject} のポリシーを {rules} に設定',
  'policy.remove': '{workspace} の {level} {subject} のポリシー {rules} を削除',
  'policy.approve': '{caller} に {host} のアドレス（{code}）を許可',
  'policy.deny': '{caller} の {host} のアドレス（{code}）を拒否',
  'workspace.web': '{workspace} のウェブを {web}（時点：{asOf}）に設定',
  'workspace.keeps': '{workspace} の呼び出し記録の保存を変更：クエリ {queries}、回答 {answers}',
  'webhook.add': '{host} への Webhook {webhook} を追加',
  'webhook.rotate': '{host} への Webhook {webhook} のシークレットを交換',
  'webhook.remove': '{host} への Webhook {webhook} を削除',
  'webhook.test': 'Webhook {webhook} にテストイベントを送信',
  'webhook.replay': 'Webhook {webhook} へイベントを再配信',
  'doubt.resolve': '不明なリクエスト {request} を処理：{verdict}',
  'person.invite': '{person} を {role} として招待',
  'person.inviteInto': '{person} を {workspace} の {role} として招待',
  'person.role': '{person} の役割を {role} に変更',
  'person.roleIn': '{workspace} での {person} の役割を {role} に変更',
  'person.noRole': 'ゲートウェイでの {person} の役割を解除',
  'person.noRoleIn': '{workspace} での {person} の役割を解除',
  'person.endSessions': '{person} のセッションを終了',
  'person.remove': '{person} を削除',
  'setting.change': '{file} の {key} を {value} に変更',
  'setting.remove': '{file} から {key} を削除',
  'providerKey.add': '{provider} のキー {key} を追加',
  'providerKey.remove': '{provider} のキー {key} を削除',
  'providerKey.order': '{provider} のキーの順番を変更',
  'providerKey.test': '{provider} のキー {key} をテスト',
  'person.resetFactor': '{person} の二要素認証をリセット',
  'workspace.rename': 'ワークスペース {before} の名前を {workspace} に変更',
  'workspace.archive': 'ワークスペース {workspace} をアーカイブ',
  'workspace.restore': 'ワークスペース {workspace} を復元',
  'workspace.delete': 'ワークスペース {name} を削除',
  'agent.rename': '{workspace} のエージェント {before} の名前を {name} に変更',
  'agent.archive': '{workspace} のエージェント {name} をアーカイブ',
  'agent.restore': '{workspace} のエージェント {name} を復元',
  'agent.delete': '{workspace} のエージェント {name} を削除',
  'key.rename': '{workspace} のキー {id} ({before}) の名前を {name} に変更',
  'key.archive': '{workspace} のキー {id} ({name}) をアーカイブ',
  'key.restore': '{workspace} のキー {id} ({name}) を復元',
  'key.delete': '{workspace} のキー {id} ({name}) を削除',
  'person.rename': '{before} の名前を {name} に変更',
  'person.archive': '{name} をアーカイブ',
  'person.restore': '{name} を復元',
  'setupLink.create': 'パスワード設定用のリンクを作成',
  'store.restore': '{file} からストアを復元',
  'library.add': '{owner} のライブラリへの {source} の追加を開始',
  'library.cancel': 'ライブラリのジョブ {job} を中止',
  'library.remove': '{owner} のライブラリから文書 {count} 件を削除',
  'library.compact': '{owner} のライブラリを圧縮',
  'library.rebuild': '{owner} のライブラリを再構築',
  'signed in': 'サインイン',
  'signed in through the identity provider': 'ID プロバイダー経由でサインイン',
  'signed out': 'サインアウト',
  'sign-in refused': 'サインインを拒否',
  'second factor refused': '二要素認証のコードを拒否',
  'set a password with a setup link': 'セットアップリンクでパスワードを設定',
  'changed their password': 'パスワードを変更',
  'set up a second factor': '二要素認証を設定',
  'switched their second factor off': '二要素認証を無効化',
};

export const deedOf = ({ action, did, fields = {} }, language) =>
  language === 'ja'
    ? (DEEDS_JA[did ?? action]?.replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? '') ?? action)
    : action;

/** What to do about a sign-in that failed, by step and code. */
export const FIXES_JA = {
  'register.invalid_redirect_uri':
    'クライアントの戻り先が https、ループバック、既知のアプリのいずれでもありません。別のクライアントを使ってください。',
  'register.temporarily_unavailable': '1 分待ってください。続く場合は登録が大量に送られています。',
  'authorize.invalid_client':
    'クライアントを追加してください。ホストを [auth] client_hosts に、または本体を [auth] clients に追加するか、[auth] registration = true にします。',
  'authorize.invalid_request':
    'クライアントの要求が許可されていない形式です。戻り先が新しい場合は、先に登録が必要です。',
  'authorize.invalid_target':
    '[server] public_url を、クライアントに設定したアドレスと完全に一致させてください。',
  'consent.access_denied': '本人が拒否しました。クライアントからやり直せます。',
  'token.invalid_client':
    'クライアントの登録がなくなっています。クライアント側で削除して追加し直してください。',
  'token.invalid_grant':
    'コードまたはトークンは使用済み、期限切れ、または失効しています。クライアントからやり直してください。',
  'token.invalid_target':
    '[server] public_url を、クライアントに設定したアドレスと完全に一致させてください。',
};

export const fixOf = ({ step, failure }, language) =>
  (language === 'ja' && FIXES_JA[`${step}.${failure.code}`]) || failure.fix;
