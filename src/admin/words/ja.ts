import type { Words } from './en.ts'
import { rules } from './rules/ja.ts'

export const ja: Words = {
  tag: 'ja',
  name: '日本語',
  dir: 'ltr',

  nav: { announcement: 'お知らせ', history: '履歴', site: 'サイトへの設置' },
  signOut: 'ログアウト',
  skip: 'コンテンツへ移動',
  languages: '言語',

  signIn: {
    title: 'ログイン',
    how: 'サービスの API シークレットを利用できる環境で次のコマンドを実行し、表示されたリンクを開いてください：',
    busy: 'ログインしています…',
    secret: 'または API シークレットを使用',
    submit: 'ログイン',
    wrongSecret: 'このサービスのシークレットではありません。',
    usedCode:
      'このリンクは使用済みか、作成から10分以上たっているか、途中で切れています。新しいリンクを作成してください。',
    tooMany: (seconds) => `試行回数が多すぎます。${seconds}秒後にもう一度お試しください。`,
  },

  types: { coupon: 'クーポン', post: '記事', product: '製品' },

  compose: {
    title: '新しいお知らせ',
    editing: '予約したお知らせの編集',
    editingUp: '表示中のお知らせの編集',
    text: 'テキスト',
    type: '種類',
    typeNote: '同じ種類のお知らせと置き換わります。',
    link: 'リンク',
    linkNote: 'サイト内のページ（/sale など）、または完全なアドレス',
    linkMeant: (link) => `${link} のことですか？`,
    icon: 'アイコン',
    iconNote: '「gift」などの英単語で検索できます。空欄の場合はキラキラが表示されます。',
    noIcons: 'その名前のアイコンはありません。',
    when: '期間',
    from: '開始日時',
    fromNote: '空欄：すぐに公開',
    until: '終了日時',
    untilNote: '空欄：取り下げるまで',
    zone: 'タイムゾーン',
    translations: 'ほかの言語',
    language: '言語',
    languageNote: 'fr や pt-BR などの言語タグ',
    translation: 'その言語のテキスト',
    addLanguage: '言語を追加',
    removeLanguage: 'この言語を削除',
    chooseLanguage: '言語を選んでください。',
    publish: '公開',
    schedule: '予約',
    save: '保存',
    preview: 'プレビュー',
    cancel: 'キャンセル',
    length: (count) => `${count} / 500文字`,
  },

  preview: {
    title: 'プレビュー',
    light: 'ライト',
    dark: 'ダーク',
    desktop: '1280 px',
    phone: '360 px',
    caption: (theme, width) => `${theme}、${width}`,
    original: '元のテキスト',
    rightToLeft: '右から左',
    reduced: '動きを減らす',
    empty: 'テキストを入力すると、ここに表示されます。',
    cut: '「\u2068{text}\u2069」より後は切れます',
    replaces: {
      coupon: '現在のクーポンと置き換わります：',
      post: '現在の記事と置き換わります：',
      product: '現在の製品と置き換わります：',
    },
    replacesThen: {
      coupon: '開始時に置き換わるクーポン：',
      post: '開始時に置き換わる記事：',
      product: '開始時に置き換わる製品：',
    },
    outlives:
      '公開すると、Stripe のクーポンが上限に達しても表示されたままになります。その場合はご自分で取り下げてください。',
    atOnce: 'すぐに表示されます。',
    starts: (when) => `開始：${when}`,
    ends: (when) => `終了：${when}`,
  },

  now: {
    title: '現在',
    empty: '何も表示されていません。',
    emptyHint: 'お知らせを公開すると、それ以降に開かれるすべてのページに表示されます。',
    shows: '最も新しいため、表示されています。',
    showsAlone: '表示されています。ほかにお知らせはありません。',
    waits: {
      coupon: 'クーポンのほうが新しいため、待機中です。',
      post: '記事のほうが新しいため、待機中です。',
      product: '製品のほうが新しいため、待機中です。',
    },
    none: 'この種類のお知らせはありません。',
    since: '公開日時',
    until: '終了日時',
    languages: '言語',
    takeDown: '取り下げる',
    stripe: (id) => `Stripe のクーポン ${id}`,
    unfeatured:
      'Stripe で isFeatured を外しても、このお知らせは残ります。ここで取り下げてください。',
  },

  next: {
    title: '今後の予定',
    none: '予約されているものも、終了するものもありません。',
    starts: '開始日時',
    edit: '編集',
    remove: '削除',
    at: 'この時点で訪問者に表示されるもの',
    look: '確認',
    nothing: 'なし',
  },

  history: {
    title: '履歴',
    empty: 'まだ履歴はありません。',
    older: '以前の履歴',
    newest: '最新の履歴',
    actions: {
      published: '公開',
      replaced: '置き換え',
      scheduled: '予約',
      started: '開始',
      withdrawn: '取り下げ',
      unscheduled: '予約を削除',
      ended: '終了',
      ignored: '無視',
    },
    via: {
      api: 'API から',
      cli: 'コマンドラインから',
      admin: '管理画面から',
      code: 'サイトのコードから',
      stripe: 'Stripe から',
    },
    by: (name) => `${name} が`,
    before: '変更前',
    after: '変更後',
    undoes: (entry) => `履歴 ${entry} を元に戻す操作です。`,
    undo: '元に戻す',
    undoSure: {
      back: '次のお知らせが元に戻ります：',
      gone: '次のお知らせがなくなります：',
    },
    noUndo: {
      undone: '元に戻しました',
      changed_since: 'その後に変更あり',
      ended: '期間が過ぎています',
      full: '予約がいっぱいです',
    },
    restore: '下書きとして使う',
    because: (reason) => `理由：${reason}`,
    reasons: {
      not_featured:
        'クーポンのメタデータに isFeatured=true がないため、お知らせの対象ではありません。',
      stale: '届くのが遅く、より新しい通知がすでに反映されていました。',
      coupon_expired: 'クーポンの有効期限が切れています。',
      coupon_not_valid: 'Stripe によると、このクーポンはもう利用できません。',
      coupon_used_up: 'クーポンの利用回数が上限に達しています。',
      coupon_deleted: 'クーポンは削除されています。',
      no_displayable_text: 'クーポンに、表示できる名前も割引もありません。',
      malformed: '通知からクーポンを読み取れませんでした。',
    },
    notification: (id) => `Stripe の通知 ${id}`,
  },

  site: {
    title: 'サイトへの設置',
    lead: '表示したい場所にバーを置いてください。場所は常に確保され、変更はすべて反映されます。',
    onlyHere: (url) =>
      `ほかのマシンから ${url} には接続できません。サービスの環境変数か .env ファイルの PUBLIC_URL に公開アドレスを設定して、再起動してください。`,
    flow: '一般のページ',
    flowNote: 'HTML の、バーを表示したい場所に：',
    float: 'フローティング',
    floatNote: 'タグだけを置くと、バーはウィンドウの下部に浮かびます：',
    strict: '厳格な Content-Security-Policy を使う場合',
    strictNote:
      'このサービスを読み込み元として許可し、要素の場所をサイト側のスタイルシートで確保してください：',
    next: 'Next.js、React など',
    nextNote:
      'ガイドはリポジトリの docs フォルダーにあります：next.md、serverless.md、frameworks.md、embed.md',
    command: 'コマンドラインから',
    http: 'HTTP で',
    httpNote:
      'EVENT_API_SECRET は API シークレットです。サービスが自分で作った場合は、次で読み込めます：EVENT_API_SECRET=$(cat data/event-api-secret)',
    stripe: 'Stripe から',
    stripeNote:
      'クーポンの通知をこのアドレスに送り、クーポンにこのメタデータを追加してください。保存するとすぐにお知らせが公開されます。',
    copy: 'コピー',
    copied: 'コピーしました',
  },

  done: {
    published: '公開しました。これから開かれるすべてのページに表示されます。',
    scheduled: '予約しました。',
    withdrawn: '取り下げました。',
    unscheduled: '予約を削除しました。',
    undone: '元に戻しました。',
    nothing: 'すでになくなっていました。',
  },

  faults: {
    about: (field) => `${field}：`,
    title: 'まだ実行できません',
    unknown: '問題が発生しました。原因はサービスのログに記録されています。',
    unavailable:
      '現在、サービスからデータベースに接続できません。失われたものはありません。もう一度お試しください。',
    tooMany: (seconds) => `変更が続きすぎています。${seconds}秒後にもう一度お試しください。`,
    changed:
      '別のお知らせが表示されるようになりました。確認のうえ、置き換える場合はもう一度公開してください。',
    meanwhile: 'このページを開いたあとに、別のお知らせが表示されるようになりました：',
    gone: 'すでになくなったか、ほかの人が変更しました。',
    undoChanged: 'その後に別の変更があったため、元に戻せません。',
    undoRefused: (why) => `決済時に拒否されるクーポンのため、元に戻せません。${why}`,
    session: 'ログアウトしています。続けるにはログインしてください。入力内容は保存されていません。',
    signedOut:
      'ログアウトしています。入力内容はこのページに残っています。別のタブでログインしてから続けてください。',
    unsent:
      '現在、サービスに接続できないため、公開も変更もされていません。入力内容はこのページに残っています。もう一度お試しください。',
    unreached: '現在、サービスに接続できないため、何も変更されていません。もう一度お試しください。',
    foreign: 'このページからのリクエストではありません。',
    skipped: (a, b) =>
      `時計が進められるため、その時刻は存在しません。${a} または ${b} を選んでください。`,
    twice: '時計が戻されるため、その時刻は2回あります。どちらですか？',
    unreadable: '日付と時刻を入力してください。',
    zone: 'そのタイムゾーンはありません。Europe/Berlin のような名前を使ってください。',
  },

  rules,
}
