// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs.h"

#include "app/window/resources.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>

namespace headscope::app {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("dialogs", text);
}

QString titleOf(FileQuestion::Kind kind)
{
    switch (kind) {
    case FileQuestion::Kind::Checkpoint: return tr("Open a checkpoint");
    case FileQuestion::Kind::Folder: return tr("Open the folder of a checkpoint");
    case FileQuestion::Kind::Tokenizer: return tr("Choose the tokenizer the checkpoint was trained with");
    }
    return {};
}

QStringList filtersOf(FileQuestion::Kind kind)
{
    const QString all = tr("All files (*)");
    switch (kind) {
    case FileQuestion::Kind::Checkpoint: return {tr("Checkpoints (*.pth *.pt *.bin *.safetensors *.json)"), all};
    case FileQuestion::Kind::Folder: return {};
    case FileQuestion::Kind::Tokenizer: return {tr("Tokenizers (*.model)"), all};
    }
    return {};
}

} // namespace

void askForPath(QWidget* window, const FileQuestion& question, std::function<void(const QString&)> answer)
{
    auto* dialog = new QFileDialog(window, titleOf(question.kind), question.folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.kind == FileQuestion::Kind::Folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    dialog->setOption(QFileDialog::ShowDirsOnly, question.kind == FileQuestion::Kind::Folder);
    dialog->setNameFilters(filtersOf(question.kind));
    QObject::connect(dialog, &QFileDialog::fileSelected, window, std::move(answer));
    dialog->open();
}

void showAbout(QWidget* window)
{
    auto* box = new QMessageBox(window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64, 64));
    box->setWindowTitle(tr("About Headscope"));
    box->setText(tr("<h3>Headscope %1</h3>"
                    "<p>Shows which attention experts a mixture-of-attention-heads model uses for every token, with what "
                    "gate, and what they "
                    "attend to.</p><p>Free software under the GNU General Public License, version 3 or later.</p>")
                     .arg(QCoreApplication::applicationVersion()));
    box->open();
}

} // namespace headscope::app
