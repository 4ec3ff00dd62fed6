// What the doctor finds, what a provider lacks and what limits a report, in Japanese; loaded when it is needed. A test compares it with the gateway's source.
/** By the gateway's template: `{0}` is the first value, which may be such a text itself, and `{0#}` the number in it. */
export const SAID_JA = {
  Search: '検索',
  Topics: '分野別の情報源',
  'Several gateways': '複数のゲートウェイ',
  Network: 'ネットワーク',
  Clock: '時計',
  'each counts for itself ([scale] shared is off): N of them admit N times the limit.':
    '[scale] shared が無効なため、ゲートウェイごとに数えます。N 台あると、上限の N 倍まで受け付けます。',
  'the state they share cannot be reached. Check PostgreSQL and the log.':
    '共有している状態を読み書きできません。PostgreSQL とログを確認してください。',
  "share rate limits, the pace of providers, cooldowns and circuit breakers; caches and retry budgets are each one's own.":
    'レート制限、プロバイダーへの間隔、休止、遮断の状態を共有しています。キャッシュと再試行の枠はゲートウェイごとです。',
  '{0} This one sees {1} of them.': '{0}このゲートウェイから {1} 台が見えています。',
  '{0} [search] keyless limits who is asked without a key.':
    '{0}キーなしで使うプロバイダーは [search] keyless で限定できます。',
  'no provider is available.': '使えるプロバイダーがありません。',
  'asks {0}.': '{0} に問い合わせます。',
  'asks {0}, then {1}.': '{0}、続いて {1} に問い合わせます。',
  'no source of topics is set up.': '分野別の情報源は設定されていません。',
  '{0} is asked about its topics, with `topic: auto` or when no general search answers.':
    '`topic: auto` の場合と一般検索が答えない場合に、{0} に問い合わせます。',
  '{0} are asked about their topics, with `topic: auto` or when no general search answers.':
    '`topic: auto` の場合と一般検索が答えない場合に、次の情報源に問い合わせます：{0}。',
  'It is not set up.': '設定されていません。',
  '{0}: not asked. {1}': '使われません：{0}。{1}',
  'not set up.': '設定されていません。',
  'not set up. {0}': '設定されていません。{0}',
  'key {0} {1}': 'キー {0}：{1}',
  'set up; {0}': '設定済みです。{0}',
  'set up with one key; {0}': '設定済みです（キー 1 個）。{0}',
  'set up with {0} keys; {1}': '設定済みです（キー {0} 個）。{1}',
  'not asked.': '問い合わせはしていません。',
  'used without a key when those before it do not answer; not called, because it allows few calls a day.':
    '順番が前のプロバイダーが答えないとき、キーなしで使われます。1 日の回数が限られているため、問い合わせはしていません。',
  'without a key it is used only when a call or [search] keyless names it.':
    'キーがないため、呼び出しか [search] keyless で指定されたときだけ使われます。',
  'not called, because a call costs a credit. `doctor --live` checks its keys.':
    '1 回につき 1 クレジットかかるため、問い合わせはしていません。キーは `doctor --live` で確認できます。',
  'built in; it needs no other service.': '内蔵の機能で、外部には問い合わせません。',
  'not called, because it does not search.': '検索をしないため、問い合わせはしていません。',
  'reads pages. {0}': 'ページの読み取りに使えます。{0}',
  'is wrapped in quotation marks. Remove them.': '引用符で囲まれています。引用符を外してください。',
  'contains white space. Copy it again.': '空白が含まれています。もう一度コピーしてください。',
  'contains invalid characters. Copy it again.': '使えない文字が含まれています。もう一度コピーしてください。',
  'looks like a placeholder. Put a real key there.': '見本の文字列のようです。実際のキーを設定してください。',
  'starts with "Bearer". Leave that word out.': '先頭に「Bearer」が付いています。取り除いてください。',
  'is too short to be a key.': 'キーとしては短すぎます。',
  'does not start with {0}, as {1} keys do. It is sent unchanged.':
    '{1} のキーの先頭は {0} ですが、異なります。そのまま送信します。',
  'a proxy is set. It is used for provider APIs only; pages are fetched directly, because a proxy would bypass the guard.':
    'プロキシが設定されています。使うのはプロバイダーの API だけです。プロキシを通すとアドレスの検査が働かないため、ページは直接取得します。',
  'found at {0}; `advanced` extraction runs page scripts.':
    '{0} を使います。`advanced` の抽出でページのスクリプトを実行できます。',
  '[extract] chromium: {0} does not exist.': '[extract] chromium に設定された {0} がありません。',
  'not found. Pages that need scripts cannot be read. Install Chromium or Chrome, or name one in [extract] chromium.':
    '見つかりません。スクリプトが必要なページは読み取れません。Chromium か Chrome をインストールするか、[extract] chromium で場所を指定してください。',
  'the clock of this machine is {0} s off from {1}’s. Set the clock.':
    'このマシンの時計は {1} の時計と {0} 秒ずれています。時計を合わせてください。',
  'answers with problems: {0}': '応答しましたが、結果に問題があります。',
  'answers in {0} ms.': '{0} ms で応答しました。',
  'the key': 'キー',
  'key {0}': 'キー {0} ',
  '{0} is accepted.': '{0}は有効です。',
  '{0} is accepted; {1} {2} are left.': '{0}は有効です。残りは {1} {2}です。',
  '{0} is accepted, but no {1} are left. Add some, or another key, or use another provider.':
    '{0}は有効ですが、残りがありません（{1}）。残高を追加するか、別のキーまたはプロバイダーを使ってください。',
  credits: 'クレジット',
  searches: '回の検索',
  '{0} was not checked, because it does not search.':
    '検索をしないプロバイダーのため、{0}は確認していません。',
  '{0} is accepted; a search took {1} ms. {2} does not say what is left.':
    '{0}は有効です。検索に {1} ms かかりました。{2} では残りを確認できません。',
  '{0} is accepted; a search took {1} ms and cost {2}. {3} does not say what is left.':
    '{0}は有効です。検索に {1} ms と {2#} クレジットかかりました。{3} では残りを確認できません。',
  'It is switched off in [providers.{0}] enabled.': '[providers.{0}] enabled で無効になっています。',
  'It is not in [search] keyless.': '[search] keyless に含まれていません。',
  'Its rules ask for a contact: set [identity] contact to your mail address or web page.':
    '利用規約で連絡先が求められています。[identity] contact にメールアドレスかウェブページを設定してください。',
  'Set [providers.{0}] base_url to its address.': '[providers.{0}] base_url にアドレスを設定してください。',
  'Set {0}, or [providers.{1}] api_key.': '{0} か [providers.{1}] api_key を設定してください。',
  'Searching needs a key: set {0}.': '検索にはキーが必要です。{0} を設定してください。',
  'The time ran out before everything was searched; this is what was found by then.':
    'すべてを検索する前に時間切れになりました。それまでに見つかった内容です。',
  'The credit limit was reached before everything was searched; this is what was found by then.':
    'すべてを検索する前にクレジットの上限に達しました。それまでに見つかった内容です。',
  'The search provider failed or answered only in part, so no further searches were made.':
    '検索プロバイダーが失敗したか一部しか答えなかったため、以降の検索は行っていません。',
  'The last searches found nothing new.': '最後の検索では新しい内容は見つかりませんでした。',
  'Nothing that answers the question could be quoted.': '質問に答える内容は引用できませんでした。',
  '{0} The pages that were found do not match it.': '{0}見つかったページは質問と一致しません。',
  'The findings have few of the question’s words, so they may not answer it.':
    '調査結果には質問の語がわずかしか含まれておらず、答えになっていない可能性があります。',
  'Of {0} only the search engine’s snippet was read.':
    '引用したページのうち {0#} 件は、検索エンジンの抜粋だけを読み取りました。',
  '{0} {1} read only in part, being very long.':
    '引用したページのうち {0#} 件は非常に長いため、一部だけを読み取りました。',
  '{0} of the model had no place in a source and {1} removed.':
    'モデルの記述のうち {0#} 件は情報源に根拠がないため、除外しました。',
  '{0} of the model named nothing that exists and {1} removed.':
    'モデルの引用のうち {0#} 件は存在しないものを指していたため、除外しました。',
  'A language model chose and worded the findings; each was checked against the words of its source.':
    '言語モデルが内容を選んで文章にしました。それぞれを情報源の文面と照合しています。',
  'No language model was used: findings are quotes, chosen by how well they match the question.':
    '言語モデルは使っていません。内容は、質問との一致度で選んだ引用です。',
  'The search fell back from {0} to {1}: {2}.': '検索は {0} の代わりに {1} が答えました：{2}。',
  '{0} of {1} searches fell back from {2} to {3}: {4}.':
    '{1} 回の検索のうち {0} 回は、{2} の代わりに {3} が答えました：{4}。',
  'its quota is used up': '割り当てを使い切ったため',
  'it refused so many requests': 'リクエストが多すぎると拒否されたため',
  'it refused the key': 'キーが拒否されたため',
  'it did not answer in time': '時間内に応答がなかったため',
  'it blocked the request': 'リクエストがブロックされたため',
  'its answer could not be read': '回答を読み取れなかったため',
  'it failed': '失敗したため',
  '{0} could not be read.': '{0#} ページを読み取れませんでした。',
  '{0} of {1} searches failed: {2}': '{1} 回の検索のうち {0} 回が失敗しました。',
  'The model failed {0}; quotes are used instead: {1}': 'モデルが {0#} 回失敗したため、引用で代えました。',
  'Open: {0}': '未解決：{0}',
  'The word “{0}” is in none of the texts that were read.': '読み取った文章に「{0}」という語は出てきません。',
  'No quote has the word “{0}”, which is in the question.':
    '質問にある「{0}」という語を含む引用はありません。',
  '{0} sites say so': '{0} サイトが同じことを述べています',
  '{0} sites give the same date, {1}': '{0} サイトが同じ日付（{1}）を挙げています',
  '{0} sites give the same figure, {1}': '{0} サイトが同じ数値（{1}）を挙げています',
  '{0} sites say about the same': '{0} サイトがほぼ同じことを述べています',
  'The date differs': '日付が異なります',
  'The figure differs': '数値が異なります',
  'The name differs': '名前が異なります',
  'One affirms what another denies': '肯定するものと否定するものがあります',
  'Sources contradict each other: “{0}”': '情報源の間で矛盾しています：「{0}」',
  'Sources disagree on a date: {0}.': '情報源によって日付が異なります：{0}。',
  'Sources disagree on a figure: {0}.': '情報源によって数値が異なります：{0}。',
  'Sources disagree on a name: {0}.': '情報源によって名前が異なります：{0}。',
  'Several sources mention {0}, which was not looked at.':
    '複数の情報源に {0} が出てきますが、調べていません。',
};

const wordsOf = (template) => template.replace(/\{\d\}/g, '').length;

/**
 * Translates texts of the gateway by their templates: into Japanese, and whether all they say is in it; undefined for what is none of them.
 * @param {Record<string, string>} texts
 * @returns {(text: string) => { said: string, isWhole: boolean } | undefined}
 */
export function translator(texts) {
  /** @type {[RegExp, string, string][]} Templates with most words of their own first. */
  const patterns = Object.entries(texts)
    .sort(([a], [b]) => wordsOf(b) - wordsOf(a))
    .map(([template, japanese]) => {
      const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
      return [new RegExp(`^${escaped.replace(/\{\d\}/g, '(.+?)')}$`, 's'), japanese, template];
    });
  const translate = (text) => {
    for (const [pattern, japanese, template] of patterns) {
      const found = pattern.exec(text);
      if (found === null) continue;
      let isWhole = (template.match(/\{\d\}/g) ?? []).every(
        (value, at) => /^(was|were)$/.test(found[at + 1]) || japanese.includes(value.slice(0, 2)),
      );
      const said = japanese.replace(/\{(\d)(#?)\}/g, (_, at, isNumber) => {
        const value = found[Number(at) + 1];
        if (isNumber) return /\d[\d,.]*/.exec(value)?.[0] ?? value;
        const inner = translate(value);
        isWhole &&= inner?.isWhole ?? true;
        return inner?.said ?? value;
      });
      return { said, isWhole };
    }
    return undefined;
  };
  return translate;
}
