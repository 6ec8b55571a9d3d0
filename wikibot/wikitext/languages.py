"""What a wiki in a given language is assumed to be like when its siteinfo is not at hand.

Facts only: namespace names with their aliases, link trails, redirect words, headings of sections
that hold no prose to link, names of disambiguation templates. A live wiki's siteinfo, and an
export's own list of namespaces, always come before these.
"""

NAMESPACES = {
    "ar": (
        "-2:ميديا,وسائط -1:خاص 1:نقاش 2:مستخدم,مستخدمة 3:نقاش_المستخدم,نقاش_المستخدمة "
        "6:ملف,صورة 7:نقاش_الملف,نقاش_الصورة 8:ميدياويكي 9:نقاش_ميدياويكي 10:قالب "
        "11:نقاش_القالب 12:مساعدة 13:نقاش_المساعدة 14:تصنيف 15:نقاش_التصنيف"
    ),
    "ca": (
        "-2:Media -1:Especial 1:Discussió 2:Usuari,Usuària "
        "3:Usuari_Discussió,Usuària_Discussió 6:Fitxer,Imatge "
        "7:Fitxer_Discussió,Imatge_Discussió 9:MediaWiki_Discussió 10:Plantilla "
        "11:Plantilla_Discussió 12:Ajuda 13:Ajuda_Discussió 14:Categoria "
        "15:Categoria_Discussió"
    ),
    "cs": (
        "-2:Média -1:Speciální 1:Diskuse 2:Uživatel,Uživatelka "
        "3:Diskuse_s_uživatelem,Uživatel_diskuse,Uživatelka_diskuse,Diskuse_s_uživatelkou "
        "6:Soubor 7:Diskuse_k_souboru,Soubor_diskuse "
        "9:Diskuse_k_MediaWiki,MediaWiki_diskuse 10:Šablona "
        "11:Diskuse_k_šabloně,Šablona_diskuse 12:Nápověda "
        "13:Diskuse_k_nápovědě,Nápověda_diskuse 14:Kategorie "
        "15:Diskuse_ke_kategorii,Kategorie_diskuse"
    ),
    "da": (
        "-2:Media -1:Speciel 1:Diskussion 2:Bruger 3:Brugerdiskussion 6:Fil,Billede "
        "7:Fildiskussion,Billeddiskussion 9:MediaWiki_diskussion,MediaWiki-diskussion "
        "10:Skabelon 11:Skabelondiskussion 12:Hjælp 13:Hjælp_diskussion,Hjælp-diskussion "
        "14:Kategori 15:Kategoridiskussion"
    ),
    "de": (
        "-2:Medium -1:Spezial 1:Diskussion 2:Benutzer,Benutzerin "
        "3:Benutzer_Diskussion,Benutzerin_Diskussion 6:Datei,Bild "
        "7:Datei_Diskussion,Bild_Diskussion 9:MediaWiki_Diskussion 10:Vorlage "
        "11:Vorlage_Diskussion 12:Hilfe 13:Hilfe_Diskussion 14:Kategorie "
        "15:Kategorie_Diskussion"
    ),
    "el": (
        "-2:Μέσο,Μέσον -1:Ειδικό 1:Συζήτηση 2:Χρήστης 3:Συζήτηση_χρήστη 6:Αρχείο,Εικόνα "
        "7:Συζήτηση_αρχείου,Συζήτηση_εικόνας 9:Συζήτηση_MediaWiki 10:Πρότυπο "
        "11:Συζήτηση_προτύπου 12:Βοήθεια 13:Συζήτηση_βοήθειας 14:Κατηγορία "
        "15:Συζήτηση_κατηγορίας"
    ),
    "en": (
        "-2:Media -1:Special 1:Talk 2:User 3:User_talk 6:File,Image 7:File_talk,Image_talk "
        "8:MediaWiki 9:MediaWiki_talk 10:Template 11:Template_talk 12:Help 13:Help_talk "
        "14:Category 15:Category_talk"
    ),
    "es": (
        "-2:Medio -1:Especial 1:Discusión 2:Usuario,Usuaria "
        "3:Usuario_discusión,Usuaria_discusión 6:Archivo,Imagen "
        "7:Archivo_discusión,Imagen_discusión 9:MediaWiki_discusión 10:Plantilla "
        "11:Plantilla_discusión 12:Ayuda 13:Ayuda_discusión 14:Categoría "
        "15:Categoría_discusión"
    ),
    "fa": (
        "-2:مدیا,رسانه,رسانه‌ای -1:ویژه 1:بحث 2:کاربر 3:بحث_کاربر 6:پرونده,تصویر "
        "7:بحث_پرونده,بحث_تصویر 8:مدیاویکی 9:بحث_مدیاویکی 10:الگو 11:بحث_الگو 12:راهنما "
        "13:بحث_راهنما 14:رده 15:بحث_رده"
    ),
    "fi": (
        "-2:Media -1:Toiminnot 1:Keskustelu 2:Käyttäjä 3:Keskustelu_käyttäjästä "
        "6:Tiedosto,Kuva 7:Keskustelu_tiedostosta,Keskustelu_kuvasta 8:Järjestelmäviesti "
        "9:Keskustelu_järjestelmäviestistä 10:Malline 11:Keskustelu_mallineesta 12:Ohje "
        "13:Keskustelu_ohjeesta 14:Luokka 15:Keskustelu_luokasta"
    ),
    "fr": (
        "-2:Média -1:Spécial 1:Discussion,Discuter 2:Utilisateur,Utilisatrice "
        "3:Discussion_utilisateur,Discussion_Utilisateur,Discussion_utilisatrice 6:Fichier "
        "7:Discussion_fichier,Discussion_Fichier,Discussion_Image 9:Discussion_MediaWiki "
        "10:Modèle 11:Discussion_modèle,Discussion_Modèle 12:Aide "
        "13:Discussion_aide,Discussion_Aide 14:Catégorie "
        "15:Discussion_catégorie,Discussion_Catégorie"
    ),
    "he": (
        "-2:מדיה -1:מיוחד 1:שיחה 2:משתמש,משתמשת 3:שיחת_משתמש,שיחת_משתמשת 6:קובץ,תמונה "
        "7:שיחת_קובץ,שיחת_תמונה 8:מדיה_ויקי 9:שיחת_מדיה_ויקי 10:תבנית 11:שיחת_תבנית "
        "12:עזרה 13:שיחת_עזרה 14:קטגוריה 15:שיחת_קטגוריה"
    ),
    "hu": (
        "-2:Média -1:Speciális 1:Vita 2:Szerkesztő 3:Szerkesztővita,User_vita 6:Fájl,Kép "
        "7:Fájlvita,Képvita,Kép_vita 9:MediaWiki-vita,MediaWiki_vita 10:Sablon "
        "11:Sablonvita,Sablon_vita 12:Segítség 13:Segítségvita,Segítség_vita 14:Kategória "
        "15:Kategóriavita,Kategória_vita"
    ),
    "id": (
        "-2:Media -1:Istimewa 1:Pembicaraan,Bicara 2:Pengguna "
        "3:Pembicaraan_Pengguna,Bicara_Pengguna 6:Berkas,Gambar "
        "7:Pembicaraan_Berkas,Gambar_Pembicaraan,Pembicaraan_Gambar "
        "9:Pembicaraan_MediaWiki,MediaWiki_Pembicaraan 10:Templat "
        "11:Pembicaraan_Templat,Templat_Pembicaraan 12:Bantuan "
        "13:Pembicaraan_Bantuan,Bantuan_Pembicaraan 14:Kategori "
        "15:Pembicaraan_Kategori,Kategori_Pembicaraan"
    ),
    "it": (
        "-2:Media -1:Speciale 1:Discussione 2:Utente 3:Discussioni_utente 6:File,Immagine "
        "7:Discussioni_file,Discussioni_immagine 9:Discussioni_MediaWiki 10:Template "
        "11:Discussioni_template 12:Aiuto 13:Discussioni_aiuto 14:Categoria "
        "15:Discussioni_categoria"
    ),
    "ja": (
        "-2:メディア -1:特別 1:トーク,ノート 2:利用者 3:利用者・トーク,利用者‐会話 6:ファイル,画像 "
        "7:ファイル・トーク,画像‐ノート,ファイル‐ノート 9:MediaWiki・トーク,MediaWiki‐ノート 10:テンプレート "
        "11:テンプレート・トーク,Template‐ノート 12:ヘルプ 13:ヘルプ・トーク,Help‐ノート 14:カテゴリ "
        "15:カテゴリ・トーク,Category‐ノート"
    ),
    "ko": (
        "-2:미디어 -1:특수,특,특수기능 1:토론 2:사용자 3:사용자토론 6:파일,그림 7:파일토론,그림토론 8:미디어위키 "
        "9:미디어위키토론,MediaWiki토론 10:틀 11:틀토론 12:도움말 13:도움말토론 14:분류 15:분류토론"
    ),
    "lt": (
        "-2:Medija -1:Specialus 1:Aptarimas 2:Naudotojas,Naudotoja "
        "3:Naudotojo_aptarimas,Naudotojos_aptarimas 6:Vaizdas 7:Vaizdo_aptarimas "
        "9:MediaWiki_aptarimas 10:Šablonas 11:Šablono_aptarimas 12:Pagalba "
        "13:Pagalbos_aptarimas 14:Kategorija 15:Kategorijos_aptarimas"
    ),
    "ltg": (
        "-2:Medeja,Media -1:Seviškuo,Special 1:Sprīža,Diskusija 2:Lītuotuojs,Dalībnieks "
        "3:Sprīža_ap_lītuotuoju,Dalībnieka_diskusija 6:Fails,Attēls "
        "7:Sprīža_ap_failu,Attēla_diskusija 9:Sprīža_ap_MediaWiki,MediaWiki_diskusija "
        "10:Taiss,Veidne 11:Sprīža_ap_taisu,Veidnes_diskusija 12:Paleigs,Palīdzība "
        "13:Sprīža_ap_paleigu,Palīdzības_diskusija 14:Kategoreja,Kategorija "
        "15:Sprīža_ap_kategoreju,Kategorijas_diskusija"
    ),
    "lv": (
        "-2:Media -1:Special 1:Diskusija 2:Dalībnieks,Lietotājs,Dalībniece "
        "3:Dalībnieka_diskusija,Lietotāja_diskusija,Dalībnieces_diskusija 6:Attēls "
        "7:Attēla_diskusija 9:MediaWiki_diskusija 10:Veidne 11:Veidnes_diskusija "
        "12:Palīdzība 13:Palīdzības_diskusija 14:Kategorija 15:Kategorijas_diskusija"
    ),
    "nb": (
        "-2:Medium -1:Spesial 1:Diskusjon 2:Bruker 3:Brukerdiskusjon 6:Fil,Bilde "
        "7:Fildiskusjon,Bildediskusjon 9:MediaWiki-diskusjon 10:Mal 11:Maldiskusjon "
        "12:Hjelp 13:Hjelpdiskusjon 14:Kategori 15:Kategoridiskusjon"
    ),
    "nl": (
        "-2:Media -1:Speciaal 1:Overleg 2:Gebruiker 3:Overleg_gebruiker "
        "6:Bestand,Afbeelding 7:Overleg_bestand,Overleg_afbeelding 9:Overleg_MediaWiki "
        "10:Sjabloon 11:Overleg_sjabloon 12:Help 13:Overleg_help 14:Categorie "
        "15:Overleg_categorie"
    ),
    "pl": (
        "-2:Media -1:Specjalna 1:Dyskusja 2:Użytkownik,Użytkowniczka "
        "3:Dyskusja_użytkownika,Dyskusja_użytkowniczki 6:Plik,Grafika "
        "7:Dyskusja_pliku,Dyskusja_grafiki 9:Dyskusja_MediaWiki 10:Szablon "
        "11:Dyskusja_szablonu 12:Pomoc 13:Dyskusja_pomocy 14:Kategoria "
        "15:Dyskusja_kategorii"
    ),
    "pt": (
        "-2:Multimédia -1:Especial 1:Discussão "
        "2:Utilizador,Usuário,Usuária,Usuário(a),Utilizador(a),Utilizadora "
        "3:Utilizador_Discussão,Usuário_Discussão,Usuária_Discussão,Usuário(a)_Discussão,Utilizador(a)_Discussão,Utilizadora_Discussão "
        "6:Ficheiro,Imagem,Arquivo 7:Ficheiro_Discussão,Imagem_Discussão,Arquivo_Discussão "
        "9:MediaWiki_Discussão 10:Predefinição 11:Predefinição_Discussão 12:Ajuda "
        "13:Ajuda_Discussão 14:Categoria 15:Categoria_Discussão"
    ),
    "ro": (
        "-2:Media -1:Special 1:Discuție,Discuţie 2:Utilizator "
        "3:Discuție_Utilizator,Discuţie_Utilizator 6:Fișier,Imagine,Fişier "
        "7:Discuție_Fișier,Discuţie_Imagine,Discuţie_Fişier "
        "9:Discuție_MediaWiki,Discuţie_MediaWiki 10:Format "
        "11:Discuție_Format,Discuţie_Format 12:Ajutor 13:Discuție_Ajutor,Discuţie_Ajutor "
        "14:Categorie 15:Discuție_Categorie,Discuţie_Categorie"
    ),
    "ru": (
        "-2:Медиа -1:Служебная 1:Обсуждение 2:Участник,Участница "
        "3:Обсуждение_участника,Обсуждение_участницы 6:Файл,Изображение "
        "7:Обсуждение_файла,Обсуждение_изображения 9:Обсуждение_MediaWiki 10:Шаблон "
        "11:Обсуждение_шаблона 12:Справка 13:Обсуждение_справки 14:Категория "
        "15:Обсуждение_категории"
    ),
    "sv": (
        "-2:Media -1:Special 1:Diskussion 2:Användare 3:Användardiskussion 6:Fil,Bild "
        "7:Fildiskussion,Bilddiskussion 9:MediaWiki-diskussion,MediaWiki_diskussion "
        "10:Mall 11:Malldiskussion 12:Hjälp 13:Hjälpdiskussion,Hjälp_diskussion "
        "14:Kategori 15:Kategoridiskussion"
    ),
    "th": (
        "-2:สื่อ -1:พิเศษ 1:พูดคุย 2:ผู้ใช้ 3:คุยกับผู้ใช้ 6:ไฟล์,ภาพ "
        "7:คุยเรื่องไฟล์,คุยเรื่องภาพ 8:มีเดียวิกิ 9:คุยเรื่องมีเดียวิกิ 10:แม่แบบ "
        "11:คุยเรื่องแม่แบบ 12:วิธีใช้ 13:คุยเรื่องวิธีใช้ 14:หมวดหมู่ "
        "15:คุยเรื่องหมวดหมู่"
    ),
    "tr": (
        "-2:Ortam,Medya -1:Özel 1:Tartışma 2:Kullanıcı 3:Kullanıcı_mesaj 6:Dosya,Resim "
        "7:Dosya_tartışma,Resim_tartışma 8:MedyaViki "
        "9:MediaWiki_tartışma,MedyaViki_tartışma 10:Şablon 11:Şablon_tartışma 12:Yardım "
        "13:Yardım_tartışma 14:Kategori 15:Kategori_tartışma"
    ),
    "uk": (
        "-2:Медіа,Медиа -1:Спеціальна,Спеціальні,Служебная 1:Обговорення,Обсуждение "
        "2:Користувач,Участник,Користувачка "
        "3:Обговорення_користувача,Обсуждение_участника,Обговорення_користувачки "
        "6:Файл,Зображення,Изображение "
        "7:Обговорення_файлу,Обговорення_зображення,Обсуждение_файла,Обсуждение_изображения "
        "9:Обговорення_MediaWiki,Обсуждение_MediaWiki 10:Шаблон "
        "11:Обговорення_шаблону,Обговорення_шаблона,Обсуждение_шаблона 12:Довідка,Справка "
        "13:Обговорення_довідки,Обсуждение_справки 14:Категорія,Категория "
        "15:Обговорення_категорії,Обсуждение_категории"
    ),
    "vi": (
        "-2:Phương_tiện -1:Đặc_biệt 1:Thảo_luận 2:Thành_viên 3:Thảo_luận_Thành_viên "
        "6:Tập_tin,Hình 7:Thảo_luận_Tập_tin,Thảo_luận_Hình 9:Thảo_luận_MediaWiki "
        "10:Bản_mẫu,Tiêu_bản 11:Thảo_luận_Bản_mẫu,Thảo_luận_Tiêu_bản 12:Trợ_giúp "
        "13:Thảo_luận_Trợ_giúp 14:Thể_loại 15:Thảo_luận_Thể_loại"
    ),
    "zh": (
        "-2:Media,媒体,媒体文件,媒体档案,媒體,媒體檔案,媒體文件 -1:Special,特殊 1:Talk,讨论,对话,討論,對話 "
        "2:User,用户,使用者,用戶 3:User_talk,用户讨论,用户对话,使用者讨论,使用者对话,使用者討論,使用者對話,用戶討論,用戶對話 4:专案,專案 "
        "5:专案讨论,專案討論 6:File,Image,文件,档案,图像,图片,檔案,圖像,圖片 "
        "7:File_talk,Image_talk,文件讨论,文件对话,档案讨论,档案对话,图像讨论,图像对话,图片讨论,檔案討論,檔案對話,文件討論,文件對話,圖像討論,圖像對話,圖片討論 "
        "9:MediaWiki_talk,MediaWiki讨论 10:Template,模板,样板,樣板 "
        "11:Template_talk,模板讨论,模板对话,样板讨论,样板对话,模板討論,模板對話,樣板討論,樣板對話 "
        "12:Help,帮助,说明,使用说明,說明,幫助,使用說明 "
        "13:Help_talk,帮助讨论,帮助对话,说明讨论,使用说明讨论,說明討論,幫助討論,幫助對話,使用說明討論 14:Category,分类,分類 "
        "15:Category_talk,分类讨论,分类对话,分類討論,分類對話"
    ),
}

LINK_TRAILS = {
    "ar": r"/^([a-zء-ي\x{0610}-\x{061A}\x{064B}-\x{065F}\x{0670}\x{06D6}-\x{06DC}\x{06DF}-\x{06E4}\x{06E7}\x{06E8}\x{06EA}-\x{06ED}]+)(.*)$/sDu",
    "ca": r"/^((?:[a-zàèéíòóúç·ïü]|'(?!'))+)(.*)$/sDu",
    "cs": r"/^([a-záčďéěíňóřšťúůýž]+)(.*)$/sDu",
    "da": r"/^([a-zæøå]+)(.*)$/sDu",
    "de": r"/^([äöüßa-z]+)(.*)$/sDu",
    "el": r"/^([a-zαβγδεζηθικλμνξοπρστυφχψωςΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩάέήίόύώϊϋΐΰΆΈΉΊΌΎΏΪΫ]+)(.*)$/sDu",
    "es": r"/^([a-záéíóúñ]+)(.*)$/sDu",
    "fa": r"/^([ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیآأئؤة‌]+)(.*)$/sDu",
    "fi": r"/^([a-zäö]+)(.*)$/sDu",
    "fr": r"/^([a-zàâçéèêîôûäëïöüùÇÉÂÊÎÔÛÄËÏÖÜÀÈÙ]+)(.*)$/sDu",
    "he": r"/^([a-zא-ת]+)(.*)$/sDu",
    "hu": r"/^([a-záéíóúöüőűÁÉÍÓÚÖÜŐŰ]+)(.*)$/sDu",
    "it": r"/^([a-zàéèíîìóòúù]+)(.*)$/sDu",
    "lt": r"/^([a-ząčęėįšųūž]+)(.*)$/sDu",
    "ltg": r"/^([a-zA-ZĀāČčĒēĢģĪīĶķĻļŅņŠšŪūŽž]+)(.*)$/sDu",
    "lv": r"/^([a-zA-ZĀāČčĒēĢģĪīĶķĻļŅņŠšŪūŽž]+)(.*)$/sDu",
    "nb": r"/^([æøåáéôóa-z]+)(.*)$/sDu",
    "nl": r"/^([a-zäöüïëéèà]+)(.*)$/sDu",
    "pl": r"/^([a-zęóąśłżźćńĘÓĄŚŁŻŹĆŃ]+)(.*)$/sDu",
    "pt": r"/^([áâãàéêẽçíòóôõq̃úüűũa-z]+)(.*)$/sDu",
    "ro": r"/^([a-zăâîşţșțĂÂÎŞŢȘȚ]+)(.*)$/sDu",
    "ru": r"/^([a-zабвгдеёжзийклмнопрстуфхцчшщъыьэюя]+)(.*)$/sDu",
    "sv": r"/^([a-zåäöéÅÄÖÉ]+)(.*)$/sDu",
    "tr": r"/^([a-zÇĞçğİıÖöŞşÜüÂâÎîÛû]+)(.*)$/sDu",
    "uk": r"/^([a-zабвгґдеєжзиіїйклмнопрстуфхцчшщьєюяёъы“»]+)(.*)$/sDu",
    "vi": r"/^([a-zàâçéèêîôûäëïöüùÇÉÂÊÎÔÛÄËÏÖÜÀÈÙ]+)(.*)$/sDu",
    "zh": r"/^()(.*)$/sD",
}

REDIRECT_WORDS = {
    "ar": ("#تحويل",),
    "ca": (
        "#REDIRECCIÓ",
        "#REDIRECCIO",
    ),
    "cs": ("#PŘESMĚRUJ",),
    "de": ("#WEITERLEITUNG",),
    "el": ("#ΑΝΑΚΑΤΕΥΘΥΝΣΗ",),
    "es": (
        "#REDIRECCIÓN",
        "#REDIRECCION",
    ),
    "fa": (
        "#تغییر_مسیر",
        "#تغییرمسیر",
    ),
    "fi": (
        "#OHJAUS",
        "#UUDELLEENOHJAUS",
    ),
    "fr": ("#REDIRECTION",),
    "he": ("#הפניה",),
    "hu": ("#ÁTIRÁNYÍTÁS",),
    "id": ("#ALIH",),
    "it": (
        "#RINVIA",
        "#RINVIO",
        "#RIMANDO",
    ),
    "ja": (
        "#転送",
        "#リダイレクト",
        "＃転送",
        "＃リダイレクト",
    ),
    "ko": ("#넘겨주기",),
    "lt": ("#PERADRESAVIMAS",),
    "nb": ("#OMDIRIGERING",),
    "nl": ("#DOORVERWIJZING",),
    "pl": (
        "#PATRZ",
        "#PRZEKIERUJ",
        "#TAM",
    ),
    "pt": ("#REDIRECIONAMENTO",),
    "ro": ("#REDIRECTEAZA",),
    "ru": (
        "#перенаправление",
        "#перенапр",
    ),
    "sv": ("#OMDIRIGERING",),
    "th": ("#เปลี่ยนทาง",),
    "tr": (
        "#YÖNLENDİRME",
        "#YÖNLENDİR",
        "#yönlendirme",
        "#yönlendir",
    ),
    "uk": (
        "#ПЕРЕНАПРАВЛЕННЯ",
        "#ПЕРЕНАПР",
        "#перенапр",
        "#перенаправление",
    ),
    "vi": ("#đổi",),
    "zh": (
        "#重定向",
        "#重新導向",
    ),
}


EXCLUDED_SECTIONS = {
    "ar": "مراجع|المراجع|مصادر|المصادر|هوامش|وصلات خارجية|انظر أيضا|انظر أيضًا|قراءة إضافية|ملاحظات",
    "ca": "Referències|Notes|Enllaços externs|Vegeu també|Bibliografia",
    "cs": "Reference|Poznámky|Externí odkazy|Související články|Literatura",
    "da": "Referencer|Noter|Eksterne henvisninger|Se også|Litteratur|Kilder",
    "de": "Einzelnachweise|Weblinks|Siehe auch|Literatur|Anmerkungen|Quellen|Belege|Fußnoten",
    "el": "Παραπομπές|Εξωτερικοί σύνδεσμοι|Δείτε επίσης|Βιβλιογραφία|Σημειώσεις|Πηγές|Υποσημειώσεις",
    "en": (
        "References|External links|See also|Notes|Further reading|Bibliography|Sources|Citations"
        "|Footnotes|Notes and references|References and notes|Works cited|Gallery"
    ),
    "es": "Referencias|Enlaces externos|Véase también|Notas|Bibliografía|Notas y referencias",
    "fa": "منابع|پانویس|پیوند به بیرون|جستارهای وابسته|یادداشت‌ها",
    "fi": "Lähteet|Viitteet|Aiheesta muualla|Katso myös|Kirjallisuutta|Huomautukset",
    "fr": (
        "Notes et références|Notes|Références|Liens externes|Lien externe|Voir aussi"
        "|Articles connexes|Article connexe|Bibliographie|Annexes|Sources"
    ),
    "he": "הערות שוליים|קישורים חיצוניים|ראו גם|לקריאה נוספת|ביאורים|מקורות",
    "hu": (
        "Jegyzetek|További információk|Lásd még|Források|Irodalom|Külső hivatkozások|Fordítás"
        "|Kapcsolódó szócikkek"
    ),
    "id": "Referensi|Pranala luar|Lihat pula|Catatan|Bacaan lanjutan|Daftar pustaka|Catatan kaki",
    "it": "Note|Collegamenti esterni|Voci correlate|Bibliografia|Altri progetti|Fonti|Riferimenti",
    "ja": "脚注|出典|注釈|参考文献|関連項目|外部リンク|脚注関連文献|関連文献|参照",
    "ko": "각주|외부 링크|같이 보기|참고 문헌|참고 자료|출처|주해|내용주",
    "lt": "Šaltiniai|Nuorodos|Išnašos|Taip pat skaitykite|Literatūra",
    "ltg": "Nūruodis|Nūruodis i olūti|Olūti|Verīs taipoš|Teiklavītys|Atsaucis|Literatura",
    "lv": "Atsauces|Ārējās saites|Skatīt arī|Literatūra|Piezīmes|Avoti",
    "nb": "Referanser|Eksterne lenker|Se også|Litteratur|Noter|Kilder|Fotnoter",
    "nl": "Externe links|Externe link|Zie ook|Literatuur|Bronnen|Noten|Referenties|Voetnoten",
    "pl": "Przypisy|Linki zewnętrzne|Zobacz też|Bibliografia|Uwagi",
    "pt": "Referências|Ligações externas|Ver também|Notas|Bibliografia|Notas e referências",
    "ro": "Note|Legături externe|Vezi și|Bibliografie|Referințe|Lectură suplimentară",
    "ru": "Примечания|Ссылки|См. также|Литература|Источники|Комментарии|Сноски",
    "sv": "Referenser|Externa länkar|Se även|Litteratur|Noter|Källor|Fotnoter|Vidare läsning",
    "th": "อ้างอิง|แหล่งข้อมูลอื่น|ดูเพิ่ม|เชิงอรรถ|หมายเหตุ|บรรณานุกรม|รายการอ้างอิง",
    "tr": "Kaynakça|Dış bağlantılar|Ayrıca bakınız|Notlar|Konuyla ilgili yayınlar|Kaynaklar",
    "uk": "Примітки|Посилання|Див. також|Література|Джерела|Виноски",
    "vi": "Tham khảo|Liên kết ngoài|Xem thêm|Chú thích|Thư mục|Ghi chú|Đọc thêm",
    "zh": (
        "参考文献|參考文獻|參考資料|参考资料|外部链接|外部連結|外部連接|参见|參見|注释|註釋|脚注|腳註"
        "|延伸阅读|延伸閱讀|相关条目|相關條目"
    ),
}

DISAMBIGUATION_TEMPLATES = {
    "ar": "توضيح|صفحة توضيح",
    "ca": "Desambiguació",
    "cs": "Rozcestník",
    "da": "Flertydig",
    "de": "Begriffsklärung|BKL",
    "el": "Αποσαφήνιση",
    "en": "Disambiguation|Disambig|Dab|Disamb|Hndis|Geodis|Surname|Human name disambiguation",
    "es": "Desambiguación",
    "fa": "ابهام‌زدایی",
    "fi": "Täsmennyssivu",
    "fr": "Homonymie|Paronymie|Patronyme",
    "he": "פירושונים|פירוש נוסף",
    "hu": "Egyértelműsítő lap|Egyért",
    "id": "Disambiguasi",
    "it": "Disambigua|Sigla2|Sigla3",
    "ja": "Aimai|曖昧さ回避|人名の曖昧さ回避|地名の曖昧さ回避",
    "ko": "동음이의|동음이의어",
    "lt": "Nuorodinis",
    "ltg": "Daudznuozeimeiba|Nūzeimu atškiršona|Atškiršona",
    "lv": "Nozīmju atdalīšana",
    "nb": "Peker|Etternavn",
    "nl": "Dp|Dpintro",
    "pl": "Ujednoznacznienie",
    "pt": "Desambiguação",
    "ro": "Dezambiguizare",
    "ru": "Неоднозначность|Многозначность|Список однофамильцев|Однофамильцы",
    "sv": "Gren|Förgrening|Namnförgrening",
    "th": "แก้กำกวม|แก้ความกำกวม",
    "tr": "Anlam ayrımı",
    "uk": "Багатозначність|Disambig",
    "vi": "Trang định hướng|Định hướng",
    "zh": "消歧义|消歧義|消歧义页|Disambig",
}

RIGHT_TO_LEFT = "ar arc ary arz azb ckb dv fa glk he ks lrc mzn nqo pnb ps sd skr ug ur yi"

# Scripts written without spaces between words, so that a name may stand beside other letters.
UNSPACED = "bo dz gan ja km lo my th wuu zh zh-classical zh-yue"

# Wikis whose letters directly before [[ become part of the link (linkprefix).
LINK_PREFIX = "ar uk"

LANGUAGE_CODES = (
    "ab ace ady af ak als alt am ami an ang ar arc ary arz as ast atj av avk awa ay az azb ba "
    "ban bar bat-smg bcl be be-tarask bg bh bi bjn blk bm bn bo bpy br bs bug bxr ca cbk-zam "
    "cdo ce ceb ch chr chy ckb co cr crh cs csb cu cv cy da dag de din diq dsb dty dv dz ee "
    "el eml en eo es et eu ext fa ff fi fiu-vro fj fo fr frp frr fur fy ga gag gan gcr gd gl "
    "glk gn gom gor got gu guw gv ha hak haw he hi hif hr hsb ht hu hy hyw ia id ie ig ik ilo "
    "inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg ki kk kl km kn ko koi krc ks ksh "
    "ku kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lt ltg lv mad mai map-bms mdf "
    "mg mhr mi min mk ml mn mni mnw mr mrj ms mt mwl my myv mzn na nah nap nds nds-nl ne new "
    "nia nl nn no nov nqo nrm nso nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pih "
    "pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara ru rue rw sa sah sat sc scn "
    "sco sd se sg sh shi shn si simple sk skr sl sm smn sn so sq sr srn ss st stq su sv sw "
    "szl szy ta tay tcy te tet tg th ti tk tl tn to tpi tr trv ts tt tum tw ty tyv udm ug uk "
    "ur uz ve vec vep vi vls vo wa war wo wuu xal xh xmf yi yo za zea zh zh-classical "
    "zh-min-nan zh-yue zu "
)

PROJECT_PREFIXES = (
    "w wikt s b q n v voy c commons m meta d mw species wikipedia wiktionary wikisource wikibooks"
    " wikiquote wikinews wikiversity wikivoyage wikidata incubator doi phab toollabs"
)
